// One try of a delivery: what is posted, how the answer is read, and what is kept of it.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { updateWebhook, webhookChanges } from "#configure/webhook.ts";
import { createMetrics } from "#runtime/metrics.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { createSealer } from "#store/seal.ts";
import type { DueDelivery } from "#store/webhooks/deliveries.ts";
import { findEndpoint } from "#store/webhooks/endpoints.ts";
import { type PostDeps, postWork } from "#webhooks/post.ts";
import { sendTestEvent } from "#webhooks/replay.ts";
import { onChanges } from "../changes.ts";
import { type Harness, harness, seededRandom } from "../harness.ts";
import { deliveries, delivery, hook, listen, readPost, says, secret } from "../scenarios/receiver.ts";

const random = seededRandom(7);
const metrics = createMetrics(async () => []);
const context = { rejectMessage: false, laneNow: 0 };
const { signal } = new AbortController();

let it: Harness;
let accountId: string;
let endpointId: string;
let asked: OutboundRequest[];
let respond: () => OutboundResult;
let changed: number;
let deps: PostDeps;

beforeEach(async () => {
  it = await harness({ started: false });
  accountId = (await it.account()).id;
  endpointId = await listen(it, accountId);
  asked = [];
  changed = 0;
  onChanges(it.system.database, {
    lanes: () => {
      changed += 1;
    },
  });
  respond = () => says(200);
  deps = {
    database: it.system.database,
    clock: it.clock,
    random,
    outbound: {
      rejectReason: () => null,
      dial: async () => ({ kind: "not_sent", code: "unreachable", reason: "nothing scripted" }),
      request: async (request) => {
        asked.push(request);
        return respond();
      },
      close: async () => {},
    },
    log: it.log,
    crashPoint: () => {},
    metrics,
    sealer: it.system.core.sealer,
  };
});
afterEach(() => it.close());

const work = (more: Partial<PostDeps> = {}, fence = 0) => postWork({ ...deps, ...more }, endpointId, fence);

async function due(): Promise<DueDelivery> {
  const replaying = it.system.core;
  const result = await sendTestEvent(replaying, { accountId, endpointId });
  assert.ok(result.kind === "stored");
  return { id: result.id, priority: 0, due_at: it.clock.now() };
}

/** One try, as the lane would have it. Returns when it is due again. */
async function attempt(row: DueDelivery, of = work(), stop = signal): Promise<number | null> {
  const stamped = await of.beginAttempts([row], null);
  assert.ok(stamped.kind === "begun");
  const nth = stamped.attempts.get(row.id);
  assert.ok(nth !== undefined);
  const outcome = await of.send(row, nth, stop);
  return await of.settle(row, nth, outcome, context);
}

const lines = async (row: DueDelivery) => (await delivery(it, accountId, endpointId, row.id)).log;

test("the post is signed, limited, and says when it was made", async () => {
  const row = await due();
  await it.advance(1500);
  assert.equal(await attempt(row), null);
  const [request] = asked;
  const { id, seconds, type } = readPost(request!, [secret]);
  assert.deepEqual([id, type, seconds], [row.id, "webhook.test", Math.floor(it.clock.now() / 1000)]);
  assert.deepEqual([request?.url, request?.maxBytes, request?.truncate], [hook, 16_384, true]);
});

test("every 2xx is a success, and nothing else is", async () => {
  for (const [status, expected] of [
    [200, "delivered"],
    [204, "delivered"],
    [299, "delivered"],
    [301, "pending"],
    [304, "pending"],
    [400, "pending"],
    [404, "pending"],
    [500, "pending"],
  ] as const) {
    const row = await due();
    respond = () => says(status);
    await attempt(row);
    assert.equal((await delivery(it, accountId, endpointId, row.id)).status, expected, String(status));
  }
});

test("what is kept of an answer is clean, short, and has no secret in it", async () => {
  const row = await due();
  respond = () => says(500, `a\u0000b\r\n\u001b[31m${secret} ${"x".repeat(2000)}`);
  await attempt(row);
  const [line] = await lines(row);
  assert.match(line!.answer, /^a b \[31m\*\*\* x+…$/);
  assert.equal([...line!.answer].length, 500);
});

test("keys in the url are not kept either, when the answer echoes them", async () => {
  const url = "https://receiver.test/in/path-key-1234/x?token=query-key-5678&n=1";
  await updateWebhook(it.system.core, accountId, endpointId, webhookChanges.parse({ url }));
  const row = await due();
  respond = () =>
    says(500, `posted to ${url}: no /path-key-1234 with query-key-5678 or ${encodeURIComponent(url)}`);
  await attempt(row);
  const [line] = await lines(row);
  assert.equal(line!.answer, "posted to ***: no /*** with *** or ***");
});

test("Retry-After counts on 429 and 503 alone", async () => {
  const now = it.clock.now();
  for (const [status, atLeast] of [
    [429, 600_000],
    [503, 600_000],
    [500, 4500],
  ] as const) {
    respond = () => says(status, "", { "retry-after": "600" });
    const again = await attempt(await due());
    assert.ok(again !== null && again >= now + atLeast && again <= now + Math.max(atLeast, 5500), `${again}`);
  }
});

test("a try that this process gave up counts for nothing", async () => {
  const row = await due();
  const controller = new AbortController();
  respond = () => {
    controller.abort();
    return { kind: "no_answer", reason: "Stopped." };
  };
  assert.equal(await attempt(row, work(), controller.signal), null);
  const { status, attempts, due_at, log } = await delivery(it, accountId, endpointId, row.id);
  assert.deepEqual([status, attempts, due_at, log], ["pending", 0, row.due_at, []]);
  respond = () => says(200);
  await attempt(row);
  assert.equal((await delivery(it, accountId, endpointId, row.id)).status, "delivered");
});

test("read ahead, and meanwhile told, switched off, or another process's: it is not posted", async () => {
  const [delivered, row] = [await due(), await due()];
  await attempt(delivered);
  const of = work();
  const stamped = await of.beginAttempts([delivered, row], null);
  assert.deepEqual(stamped, { kind: "begun", attempts: new Map([[row.id, 1]]) });
  assert.deepEqual(await work({}, 1).beginAttempts([row], null), { kind: "fenced" });
  const off = webhookChanges.parse({ active: false });
  await updateWebhook(it.system.core, accountId, endpointId, off);
  assert.deepEqual(await of.beginAttempts([row], null), { kind: "begun", attempts: new Map() });
});

test("another url, or another secret, holds from the next try on", async () => {
  const row = await due();
  const of = work();
  respond = () => says(500);
  await attempt(row, of);
  const fresh = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
  const changes = webhookChanges.parse({ url: "https://moved.test/", secret: fresh });
  await updateWebhook(it.system.core, accountId, endpointId, changes);
  await attempt(row, of);
  assert.equal(asked[1]?.url, "https://moved.test/");
  assert.equal(readPost(asked[1]!, [fresh, secret]).signatures, 2);
});

test("a secret that does not open: nothing is posted, and the log says what to do", async () => {
  const row = await due();
  const other = createSealer("another master key, just as long as it has to be", random);
  await attempt(row, work({ sealer: other }));
  assert.deepEqual(asked, []);
  assert.equal((await lines(row))[0]?.reason, "The endpoint's secret does not open: give it a new one.");
  assert.ok(!it.log.text().includes(secret));
});

test("an endpoint that says 410 is disabled: its lane is let go of, and what waits is stopped", async () => {
  const [row, waiting] = [await due(), await due()];
  respond = () => says(410);
  assert.equal(await attempt(row), null);
  assert.equal(changed, 1);
  assert.equal((await it.system.database.run(findEndpoint, endpointId))?.active, 0);
  const rows = await deliveries(it, accountId, endpointId);
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["failed", "failed"],
  );
  assert.equal((await lines(waiting))[0]?.reason, "The endpoint was disabled. It answered 410 Gone.");
});

test("tries are counted by outcome", async () => {
  const count = async (outcome: string) =>
    Number(new RegExp(`tries_total{outcome="${outcome}"} (\\d+)`).exec(await metrics.text())?.[1] ?? 0);
  const before = [await count("delivered"), await count("failed")];
  await attempt(await due());
  respond = () => says(500);
  await attempt(await due());
  assert.deepEqual(
    [await count("delivered"), await count("failed")],
    before.map((n) => n + 1),
  );
});
