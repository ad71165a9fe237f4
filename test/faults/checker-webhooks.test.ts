// The webhook checker sees every kind of damage: each test plants one in a run that was posted in full.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { checkWebhooks, type WebhookEvidence } from "./checker-webhooks.ts";
import type { Posted, Row } from "./evidence.ts";
import { postsOf, row } from "./sound-run.ts";

interface Case {
  rows: Row[];
  posted: Posted[];
}

/** A message that was queued again, one that failed, one of another account, and an event about a gateway. */
function sound(): Case {
  const again: Row = {
    ...row("r.1"),
    timeline: ["queued", "sending", "queued", "sending", "sent"].map((type, second) => ({
      at: `2026-01-01T00:00:0${second}.000Z`,
      type,
    })),
  };
  const rows = [again, row("r.2", "failed"), { ...row("r.3"), account: "beta" }];
  const paused: Posted = {
    account: "acme",
    id: "evt-pause",
    signed: true,
    type: "gateway.paused",
    timestamp: "2026-01-01T00:00:00.000Z",
    subject: null,
    status: null,
    digest: "paused",
    answer: "ok",
  };
  return { rows, posted: [...rows.flatMap(postsOf), paused] };
}

function judge(change: (run: Case) => void, more: Partial<WebhookEvidence> = {}): string[] {
  const run = sound();
  change(run);
  return checkWebhooks({ ...run, drained: true, ...more });
}

const change = (run: Case, id: string, fields: Partial<Posted>) => {
  run.posted = run.posted.map((post) => (post.id === id ? { ...post, ...fields } : post));
};
/** The same event once more. */
const repeat = (run: Case, id: string, fields: Partial<Posted> = {}) => {
  const post = run.posted.find((known) => known.id === id);
  if (post !== undefined) run.posted.push({ ...post, ...fields });
};
const drop = (run: Case, id: string) => {
  run.posted = run.posted.filter((post) => post.id !== id);
};

test("a run that was posted in full has no violations, also when posted repeatedly, out of order and after failed tries", () => {
  assert.deepEqual(
    judge(() => {}),
    [],
  );
  assert.deepEqual(
    judge((run) => {
      repeat(run, "evt-msg-r.1-2", { answer: "500" });
      repeat(run, "evt-msg-r.2-0");
      run.posted.reverse();
    }),
    [],
  );
});

test("what is still to be posted is no violation before the drain; what was posted wrongly is", () => {
  assert.deepEqual(
    judge((run) => run.posted.splice(0, 3), { drained: false }),
    [],
  );
  assert.equal(judge((run) => repeat(run, "evt-msg-r.1-4", { id: "evt-x" }), { drained: false }).length, 1);
});

const planted: [string, (run: Case) => void, RegExp][] = [
  [
    "a change that was never posted",
    (run) => drop(run, "evt-msg-r.1-4"),
    /^msg-r\.1: message\.sent happened 1 times, told 0 times$/,
  ],
  [
    "an acceptance that was never posted",
    (run) => drop(run, "evt-msg-r.2-0"),
    /^msg-r\.2: message\.queued happened 1 times, told 0 times$/,
  ],
  [
    "one of two like changes that was never posted",
    (run) => drop(run, "evt-msg-r.1-2"),
    /^msg-r\.1: message\.queued happened 2 times, told 1 times$/,
  ],
  [
    "a message of which nothing was posted",
    (run) => {
      run.posted = run.posted.filter(({ subject }) => subject !== "msg-r.2");
    },
    /^msg-r\.2: message\.failed happened 1 times/,
  ],
  [
    "an event that was posted and never taken",
    (run) => change(run, "evt-msg-r.1-4", { answer: "500" }),
    /told 0 times, 1 more without a 2xx$/,
  ],
  [
    "a change told that never happened",
    (run) =>
      repeat(run, "evt-msg-r.2-2", {
        id: "evt-x",
        type: "message.delivered",
        status: "delivered",
      }),
    /^msg-r\.2: message\.delivered told as 1 events, happened 0 times$/,
  ],
  [
    "one change told as two events",
    (run) => repeat(run, "evt-msg-r.1-4", { id: "evt-x" }),
    /^msg-r\.1: message\.sent told as 2 events, happened 1 times$/,
  ],
  [
    "an event of another instant",
    (run) => change(run, "evt-msg-r.1-2", { timestamp: "2026-01-01T00:00:07.000Z" }),
    /^msg-r\.1: message\.queued happened at .*02\.000Z, told of .*07\.000Z$/,
  ],
  [
    "an event of a message that is not stored",
    (run) => change(run, "evt-msg-r.2-2", { subject: "msg-x" }),
    /^message\.failed told of msg-x, which is not stored$/,
  ],
  [
    "a body that changes between tries",
    (run) => repeat(run, "evt-msg-r.1-4", { digest: "other" }),
    /^evt-msg-r\.1-4 .*: not the same body each time$/,
  ],
  [
    "an id that names two messages",
    (run) => repeat(run, "evt-msg-r.1-4", { subject: "msg-r.2" }),
    /^evt-msg-r\.1-4: names two happenings: message\.sent of msg-r\.1, message\.sent of msg-r\.2$/,
  ],
  [
    "an id that names two changes",
    (run) => repeat(run, "evt-msg-r.1-4", { type: "message.queued", status: "queued" }),
    /^evt-msg-r\.1-4: names two happenings/,
  ],
  [
    "a type and a status that differ",
    (run) => change(run, "evt-msg-r.1-4", { status: "sending" }),
    /^evt-msg-r\.1-4: message\.sent with the status sending$/,
  ],
  [
    "it is posted to another account",
    (run) => change(run, "evt-msg-r.3-0", { account: "acme" }),
    /^msg-r\.3: of beta, told to acme$/,
  ],
  [
    "it is posted to two accounts",
    (run) => repeat(run, "evt-pause", { account: "beta" }),
    /^evt-pause: told to acme and beta$/,
  ],
  [
    "a post with a wrong signature",
    (run) => repeat(run, "evt-pause", { signed: false }),
    /^evt-pause: 1 of 2 posts with a wrong signature$/,
  ],
];

for (const [name, damage, expected] of planted) {
  test(`seen: ${name}`, () => {
    const lines = judge(damage);
    assert.ok(
      lines.some((line) => expected.test(line)),
      `${expected} not in ${JSON.stringify(lines)}`,
    );
  });
}

test("any one event of a large run that is missing, or there twice under two ids, is seen and named", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(), fc.boolean(), (count, at, missing) => {
      const rows = Array.from({ length: count }, (_, index) => row(`r.${index}`, "delivered"));
      const posted = rows.flatMap(postsOf);
      const victim = at % posted.length;
      const subject = posted[victim]?.subject;
      if (missing) posted.splice(victim, 1);
      else posted.push({ ...posted[victim]!, id: "evt-x" });
      const lines = checkWebhooks({ rows, posted, drained: true });
      assert.equal(lines.length, 1);
      assert.ok(lines[0]?.startsWith(`${subject}: message.`));
    }),
    { seed: 20261121 },
  );
});
