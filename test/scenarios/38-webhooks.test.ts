// What happens to messages reaches the account's own servers: signed, repeated until it is taken, never lost.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { removeWebhook, rotateSigningSecret, updateWebhook, webhookChanges } from "#configure/webhook.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { replaySince, replaySingle } from "#webhooks/replay.ts";
import { type Harness, harness } from "../harness.ts";
import { deliveries, delivery, endpoint, hook, listen, type Post, posts, says, secret } from "./receiver.ts";

const hour = 3_600_000;
const day = 24 * hour;
const contact = { number: "+4915112345670", message: "Hi" };

type Respond = (request: OutboundRequest, nth: number) => OutboundResult | Promise<OutboundResult>;

/** An account with a sandbox gateway and one endpoint; `respond` is what its posts meet. */
async function story(
  respond: Respond,
  tell: (it: Harness, accountId: string, endpointId: string) => Promise<void>,
  input: Parameters<typeof listen>[2] = {},
) {
  let nth = 0;
  const it = await harness({ respond: (request) => respond(request, ++nth) });
  try {
    const account = await it.account();
    await it.gateway({ identifier: "main", default: true });
    await tell(it, account.id, await listen(it, account.id, input));
  } finally {
    await it.close();
  }
}

const send = async (it: Harness) => {
  const [id] = await it.accepted([contact]);
  await it.settle();
  return id!;
};

const replaying = (it: Harness) => ({
  ...it.system.core,
  wake: (id: string) => it.system.lanes.wake(id),
});

test("each state of a message is an event, with the message as it was then", () =>
  story(
    () => says(204),
    async (it, accountId, endpointId) => {
      const id = await send(it);
      await it.advance(10_000);
      const events = posts(it).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const ulid = id.slice("msg_".length);
      assert.deepEqual(
        events.map((post) => [post.type, post.id]),
        ["queued", "sending", "sent", "delivered"].map((type, seq) => [
          `message.${type}`,
          `evt_${ulid}_${seq}`,
        ]),
      );
      assert.deepEqual(
        events.map(({ data }) => [data.id, `message.${data.status}`, data.attempts, data.sent_at === null]),
        events.map(({ type }, seq) => [id, type, seq === 0 ? 0 : 1, seq < 2]),
      );
      const { events: _, waiting_for, ...record } = await it.message(id);
      assert.equal(waiting_for, null);
      assert.deepEqual(events.at(-1)?.data, record, "the last one is the record, without why it waits");
      for (const { timestamp, data } of events) assert.equal(timestamp, data.updated_at);
      const log = await deliveries(it, accountId, endpointId);
      assert.deepEqual(
        log.map(({ status, attempts, due_at }) => [status, attempts, due_at]),
        Array(4).fill(["delivered", 1, null]),
      );
    },
  ));

test("an endpoint gets what it asks for, and only its own account's", () =>
  story(
    () => says(200),
    async (it, accountId) => {
      await listen(it, accountId, { url: `${hook}/delivered`, events: ["message.delivered"] });
      const otherAccount = await it.account({ name: "other" });
      await listen(it, otherAccount.id, { url: `${hook}/stranger` });
      await it.gateway({ identifier: "theirs", default: true });
      const theirs = await send(it);
      await it.advance(10_000);
      assert.deepEqual(new Set(posts(it, `${hook}/stranger`).map(({ data }) => data.id)), new Set([theirs]));
      assert.deepEqual(posts(it), []);
      assert.deepEqual(posts(it, `${hook}/delivered`), []);
    },
    { events: ["gateway.*"] },
  ));

test("a send of many is one event for each message", () =>
  story(
    () => says(200),
    async (it) => {
      const contacts = Array.from({ length: 1200 }, (_, i) => ({
        number: `+4915112${15_000 + i}`,
        message: "Hi",
      }));
      const ids = await it.accepted(contacts);
      await it.advance(1000);
      assert.deepEqual(
        posts(it)
          .map(({ data }) => data.id)
          .sort(),
        ids,
      );
    },
    { events: ["message.queued"] },
  ));

describe("an endpoint that fails", () => {
  test("is tried eight times over some 28 hours, under one webhook-id, and then not any more", () =>
    story(
      () => says(500, "out\u0000 of order"),
      async (it, accountId, endpointId) => {
        const start = it.clock.now();
        await send(it);
        await it.advance(40 * hour);
        const events = posts(it);
        assert.equal(events.length, 8);
        assert.equal(new Set(events.map(({ id, body }) => `${id} ${body}`)).size, 1);
        const waits = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000];
        events.forEach(({ seconds }, i) => {
          const wait = seconds - (i === 0 ? Math.floor(start / 1000) : events[i - 1]!.seconds);
          const middle = waits[i]!;
          assert.ok(wait >= middle * 0.9 - 1 && wait <= middle * 1.1 + 1, `${wait} s before try ${i + 1}`);
        });
        const { status, attempts, due_at, log } = await delivery(it, accountId, endpointId, events[0]!.id);
        assert.deepEqual([status, attempts, due_at, log.length], ["failed", 8, null, 8]);
        assert.deepEqual(
          log.map((line) => [line.status, line.reason, line.answer]),
          Array(8).fill([500, "It answered 500.", "out of order"]),
        );
        assert.equal((await endpoint(it, endpointId))?.active, 1);
      },
      { events: ["message.queued"] },
    ));

  test("gets the event when it is well again", () =>
    story(
      (_, nth) => (nth < 3 ? { kind: "no_answer", reason: "It broke." } : says(200)),
      async (it, accountId, endpointId) => {
        await send(it);
        assert.equal((await endpoint(it, endpointId))?.failing_since, it.clock.now());
        await it.advance(hour);
        const [first] = posts(it);
        const { status, log } = await delivery(it, accountId, endpointId, first!.id);
        assert.deepEqual(
          [status, log.map(({ reason }) => reason)],
          ["delivered", ["It broke.", "It broke.", null]],
        );
        assert.equal((await endpoint(it, endpointId))?.failing_since, null);
      },
      { events: ["message.queued"] },
    ));

  test("is waited for as long as it asks, on 429 and 503", () =>
    story(
      (_, nth) => (nth === 1 ? says(429, "", { "retry-after": "7200" }) : says(200)),
      async (it) => {
        await send(it);
        await it.advance(7_199_000);
        assert.equal(posts(it).length, 1);
        await it.advance(1000);
        assert.equal(posts(it).length, 2);
      },
      { events: ["message.queued"] },
    ));

  test("redirects are failures, and are not followed", () =>
    story(
      (request) => {
        assert.equal(request.url, hook);
        return says(302, "", { location: "https://elsewhere.test/?token=canary" });
      },
      async (it, accountId, endpointId) => {
        await send(it);
        const { status, log } = await delivery(it, accountId, endpointId, posts(it)[0]!.id);
        assert.deepEqual(
          [status, log[0]?.reason],
          ["pending", "It answered 302; redirects are not followed."],
        );
        assert.ok(!it.log.text().includes("canary") && !JSON.stringify(log).includes("canary"));
      },
      { events: ["message.queued"] },
    ));

  test("an address that is forbidden when it is asked for is a failed try", () =>
    story(
      () => ({ kind: "not_sent", code: "url_not_allowed", reason: "Not allowed: a private address." }),
      async (it, accountId, endpointId) => {
        await send(it);
        const [row] = await deliveries(it, accountId, endpointId);
        assert.deepEqual([row?.status, row?.attempts], ["pending", 1]);
      },
      { events: ["message.queued"] },
    ));

  test("says 410: it is disabled at once, and what waited for it is stopped", () =>
    story(
      (_, nth) => (nth === 1 ? says(500) : says(410)),
      async (it, accountId, endpointId) => {
        await send(it);
        await it.advance(4000);
        await send(it);
        const row = await endpoint(it, endpointId);
        assert.deepEqual([row?.active, row?.disabled_reason], [0, "It answered 410 Gone."]);
        await it.advance(30 * hour);
        assert.equal(posts(it).length, 2);
        const rows = await deliveries(it, accountId, endpointId);
        assert.deepEqual(
          rows.map(({ status, due_at }) => [status, due_at]),
          [
            ["failed", null],
            ["failed", null],
          ],
        );
        assert.match(rows[0]!.log, /The endpoint was disabled\. It answered 410 Gone\./);
        await send(it);
        assert.equal((await deliveries(it, accountId, endpointId)).length, 2, "nothing is noted for it");
      },
      { events: ["message.queued"] },
    ));

  test("for five days: it is disabled; enabled again, what failed can be replayed", () => {
    let well = false;
    return story(
      () => says(well ? 200 : 503),
      async (it, accountId, endpointId) => {
        for (let i = 0; i < 5; i++) {
          await send(it);
          await it.advance(day);
          assert.equal((await endpoint(it, endpointId))?.active, 1);
        }
        const dayFive = it.clock.now();
        await send(it);
        const disabled = await endpoint(it, endpointId);
        assert.deepEqual([disabled?.active, disabled?.disabled_at], [0, dayFive]);
        const tried = posts(it).length;
        await it.advance(2 * day);
        assert.equal(posts(it).length, tried);

        well = true;
        const change = webhookChanges.parse({ active: true });
        await updateWebhook(it.system.core, accountId, endpointId, change);
        await it.settle();
        assert.equal(posts(it).length, tried, "nothing by itself");
        const whose = { accountId, endpointId };
        assert.deepEqual(await replaySince(replaying(it), whose, 0), {
          kind: "replayed",
          count: 6,
          more: false,
        });
        await it.settle();
        const again = posts(it).slice(tried);
        assert.equal(new Set(again.map(({ id }) => id)).size, 6);
        assert.ok(
          (await deliveries(it, accountId, endpointId)).every(({ status }) => status === "delivered"),
        );
        assert.equal((await endpoint(it, endpointId))?.failing_since, null);
      },
      { events: ["message.queued"] },
    );
  });

  test("a success in between keeps it", () =>
    story(
      (_, nth) => says(nth === 40 ? 200 : 500),
      async (it, accountId, endpointId) => {
        for (let i = 0; i < 8; i++) {
          await send(it);
          await it.advance(day);
        }
        assert.ok(posts(it).length > 40);
        assert.equal((await endpoint(it, endpointId))?.active, 1);
        assert.ok((await deliveries(it, accountId, endpointId)).some(({ status }) => status === "delivered"));
      },
      { events: ["message.queued"] },
    ));

  test("delays no other endpoint", () =>
    story(
      (request) => (request.url === hook ? new Promise(() => {}) : says(200)),
      async (it, accountId) => {
        await listen(it, accountId, { url: `${hook}/well` });
        const contacts = Array.from({ length: 50 }, (_, i) => ({
          ...contact,
          number: `+49151123${15_000 + i}`,
        }));
        await it.accepted(contacts);
        await it.settle();
        const [dead, well] = [posts(it), posts(it, `${hook}/well`)];
        // What hangs would hold the system back from ending.
        await it.kill();
        assert.equal(dead.length, 8, "as many at once as an endpoint gets");
        assert.equal(well.filter(({ type }) => type === "message.queued").length, 50);
      },
    ));
});

test("a delivery is replayed under its webhook-id, also one that was taken", () =>
  story(
    () => says(200),
    async (it, accountId, endpointId) => {
      await send(it);
      const [first] = posts(it);
      assert.equal(await replaySingle(replaying(it), { accountId, endpointId }, first!.id), "replayed");
      await it.advance(2000);
      const [, second, ...more] = posts(it);
      assert.deepEqual([second?.id, second?.body, more.length], [first!.id, first!.body, 0]);
      const { status, attempts, log } = await delivery(it, accountId, endpointId, first!.id);
      assert.deepEqual([status, attempts, log.length], ["delivered", 1, 2]);
    },
    { events: ["message.queued"] },
  ));

test("a secret that changes between two tries: for a day both sign, then the new one alone", () =>
  story(
    () => says(500),
    async (it, accountId, endpointId) => {
      await send(it);
      const rotated = await rotateSigningSecret(it.system.core, accountId, endpointId);
      assert.ok(rotated.kind === "saved" && rotated.secret !== null);
      const fresh = rotated.secret;
      await it.advance(40 * hour);
      const under = (secrets: string[]): Post[] => posts(it, hook, secrets);
      assert.throws(() => under([secret]));
      const { requests } = it;
      const counts = requests.map(({ headers }) => headers?.["webhook-signature"]?.split(" ").length);
      assert.deepEqual(counts, [1, 2, 2, 2, 2, 2, 2, 1]);
      requests.splice(0, 1);
      assert.equal(under([fresh]).length, 7);
      requests.pop();
      assert.equal(under([fresh, secret]).length, 6);
    },
    { events: ["message.queued"] },
  ));

test("an endpoint that is deleted while events wait for it is posted nothing more", () =>
  story(
    () => says(500),
    async (it, accountId, endpointId) => {
      await send(it);
      assert.equal(posts(it).length, 1);
      assert.equal(await removeWebhook(it.system.core, accountId, endpointId), true);
      await it.advance(30 * hour);
      assert.equal(posts(it).length, 1);
      assert.equal(await endpoint(it, endpointId), null);
      await send(it);
      assert.equal(posts(it).length, 1);
    },
    { events: ["message.queued"] },
  ));
