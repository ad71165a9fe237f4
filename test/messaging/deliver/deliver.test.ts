// What each answer of a gateway becomes: the settlement that is written, and what it says about the lane.

import assert from "node:assert/strict";
import test from "node:test";
import type { GatewayRules } from "#contract/manage/gateways.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { rulesIn } from "#gateways/rules.ts";
import { type DeliverDeps, deliverWork } from "#messaging/deliver/deliver.ts";
import { createMailFiles } from "#messaging/email/files.ts";
import { createMetrics } from "#runtime/metrics.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { Database } from "#store/database.ts";
import type { DueMessage, Settlement } from "#store/messages/attempts.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";

const row: DueMessage = {
  id: "msg_1",
  account_id: "acc_1",
  request_id: "req_1",
  ...{ recipient_raw: "0151", recipient: "+49151" },
  content: "text",
  body: "Hello",
  body_bytes: 5,
  priority: 0,
  due_at: 1000,
  attempts: 0,
  resends: 0,
  first_deferred_at: null,
  segments: 1,
};

const defaultRules = rulesIn({ rules: "{}" });

interface Options {
  rules?: Partial<GatewayRules>;
  adapterPolicy?: "hold" | "resend";
  random?: number;
  answers?: Record<string, (input: never) => unknown>;
}

function delivering(
  send: (message: OutgoingMessage, signal: AbortSignal) => Promise<Outcome>,
  options: Options = {},
) {
  const clock = movableClock();
  const log = memoryLog();
  const calls: { name: string; input: never }[] = [];
  const points: string[] = [];
  const database: Database = {
    engine: "sqlite",
    run: async (operation, input) => {
      calls.push({ name: operation.name, input: input as never });
      const answers: Options["answers"] = { settleMessages: () => "settled", ...options.answers };
      return answers[operation.name]?.(input as never) as never;
    },
    onChanges: () => () => {},
    notify: () => {},
    onNotify: () => {},
    close: async () => {},
  };
  const adapter = {
    kind: "test",
    contents: ["text"],
    onUnknown: options.adapterPolicy ?? "hold",
  } as Partial<GatewayAdapter> as GatewayAdapter;
  const deps: DeliverDeps = {
    database,
    clock,
    random: { bytes: (count) => new Uint8Array(count), random: () => options.random ?? 0 },
    log,
    crashPoint: (name) => void points.push(name),
    metrics: createMetrics(async () => []),
    newId: (prefix) => `${prefix}_1`,
    mailFiles: createMailFiles(database),
    sealer: createSealer("a master key that is only used in tests", seededRandom()),
    publicUrl: null,
  };
  const work = deliverWork(
    deps,
    {
      id: "gw_1",
      identifier: "main",
      adapter,
      rules: { ...defaultRules, ...options.rules },
      transport: { send, close: async () => void points.push("closed") },
      email: null,
      latenessMs: 259_200_000,
    },
    9,
  );
  return { work, clock, log, calls, points, deps };
}

/** Hands the row over and settles it; returns the settlement. */
async function settled(
  outcome: Outcome,
  options: Options & {
    row?: Partial<DueMessage>;
    attempt?: number;
    rejectMessage?: boolean;
    laneNow?: number;
  } = {},
) {
  const it = delivering(async () => outcome, options);
  const due = { ...row, ...options.row };
  const attempt = options.attempt ?? 1;
  const sent = await it.work.send(due, attempt, new AbortController().signal);
  const laneNow = options.laneNow ?? it.clock.now();
  const context = { rejectMessage: options.rejectMessage ?? false, laneNow };
  const dueAgain = await it.work.settle(due, attempt, sent, context);
  const settlement = it.calls.at(-1)!.input as Settlement;
  return { settlement, dueAgain, ...it.work.breaker.healthOf(sent, due), now: it.clock.now(), it };
}

test("the session is given the message and the signal, and is closed with the lane", async () => {
  let seen: unknown[] = [];
  const it = delivering(async (...args) => {
    seen = args;
    return { kind: "accepted", reference: null };
  });
  const { signal } = new AbortController();
  await it.work.send(row, 3, signal);
  const [message, tools] = seen;
  assert.deepEqual(message, {
    id: "msg_1",
    requestId: "req_1",
    recipient: "+49151",
    attempt: 3,
    content: { kind: "text", text: "Hello" },
  });
  assert.equal(tools, signal);
  await it.work.close();
  assert.deepEqual(it.points, ["send.before", "send.after", "closed"]);
});

test("accepted: sent, with the provider's reference, under the fence and for this attempt", async () => {
  const { settlement, dueAgain, health, now } = await settled(
    { kind: "accepted", reference: "ref-1" },
    { attempt: 2 },
  );
  assert.deepEqual(settlement, {
    id: "msg_1",
    laneId: "gw_1",
    fence: 9,
    attempt: 2,
    step: "accepted",
    details: { at: now, detail: "Accepted by main as ref-1.", reference: "ref-1" },
    parts: null,
    receipt: null,
  });
  assert.equal(dueAgain, null);
  assert.equal(health, "healthy");
});

test("accepted without a reference", async () => {
  const { settlement } = await settled({ kind: "accepted", reference: null });
  assert.equal(settlement.details.detail, "Accepted by main.");
  assert.equal(settlement.details.reference, null);
});

test("accepted with the end in the same answer carries its receipt", async () => {
  const { settlement, now } = await settled({
    kind: "accepted",
    reference: "r",
    receipt: { status: "undelivered", code: "E7", reason: "switched\noff" },
  });
  assert.deepEqual(settlement.receipt, {
    step: "undelivered",
    details: { at: now, detail: "switched off", code: "E7", message: "switched off" },
  });
  const plain = await settled({ kind: "accepted", reference: "r", receipt: { status: "failed" } });
  assert.equal(plain.settlement.receipt?.details.code, "failed");
  assert.equal(plain.settlement.receipt?.details.message, "The provider gave no reason.");
});

test("rejected: failed with the code and the reason; the gateway is well", async () => {
  const { settlement, health, dueAgain } = await settled({
    kind: "rejected",
    code: "21211",
    reason: "no number",
  });
  assert.equal(settlement.step, "rejected");
  assert.equal(settlement.details.code, "21211");
  assert.equal(settlement.details.message, "no number");
  assert.equal(dueAgain, null);
  assert.equal(health, "answering");
});

test("deferred: due again after the back-off, from 5 s doubling to 15 min with full jitter", async () => {
  const waits = async (random: number) => {
    const list: number[] = [];
    for (const attempt of [1, 2, 3, 6, 8, 20]) {
      const { settlement, dueAgain, now } = await settled(
        { kind: "deferred", reason: "busy" },
        { attempt, random },
      );
      assert.equal(settlement.step, "deferred");
      assert.equal(settlement.details.dueAt, dueAgain);
      list.push(((dueAgain ?? 0) - now) / 1000);
    }
    return list;
  };
  assert.deepEqual(await waits(0), [5, 5, 5, 5, 5, 5]);
  assert.deepEqual((await waits(0.999999999)).map(Math.round), [10, 20, 40, 320, 900, 900]);
});

test("a Retry-After longer than the back-off is honoured; a shorter one is not hurried by", async () => {
  const wait = async (retryAfterMs: number) => {
    const { dueAgain, now } = await settled({ kind: "deferred", reason: "busy", retryAfterMs });
    return (dueAgain ?? 0) - now;
  };
  assert.equal(await wait(60_000), 60_000);
  assert.equal(await wait(1000), 5000);
});

test("the retry window runs on the lane's clock from the first deferral, and ends in failed", async () => {
  const day = 86_400_000;
  const first = await settled({ kind: "deferred", reason: "busy" }, { laneNow: 500 });
  assert.equal(first.settlement.details.firstDeferredAt, 500);
  const within = await settled(
    { kind: "deferred", reason: "busy" },
    { row: { first_deferred_at: 500 }, laneNow: 500 + day - 1 },
  );
  assert.equal(within.settlement.step, "deferred");
  assert.equal(within.settlement.details.firstDeferredAt, 500);
  const over = await settled(
    { kind: "deferred", code: "busy", reason: "busy" },
    { row: { first_deferred_at: 500 }, laneNow: 500 + day },
  );
  assert.equal(over.settlement.step, "rejected");
  assert.equal(over.settlement.details.code, "busy");
  assert.equal(over.dueAgain, null);
  // However much wall time a pause took, the lane's clock decides.
  const paused = await settled(
    { kind: "deferred", reason: "busy" },
    { row: { first_deferred_at: 0 }, laneNow: 10 },
  );
  assert.equal(paused.settlement.step, "deferred");
});

for (const [trouble, expected] of [
  ["refused", "misconfigured"],
  ["unreachable", "unreachable"],
] as const) {
  test(`${trouble}: the message keeps its place and its tries, and the lane hears of it`, async () => {
    const { settlement, health, dueAgain, reason } = await settled(
      { kind: "deferred", code: "http_401", reason: "bad key", gatewayFault: trouble },
      // Even past its window: it is not the message's fault.
      { row: { first_deferred_at: 0 }, laneNow: 10 ** 12 },
    );
    assert.equal(settlement.step, "deferred");
    assert.equal(settlement.details.uncounted, true);
    assert.equal(dueAgain, row.due_at);
    assert.equal(settlement.details.firstDeferredAt, undefined);
    assert.equal(health, expected);
    assert.equal(reason, "bad key");
  });
}

test("a message that is to blame for the trouble is rejected", async () => {
  const { settlement } = await settled(
    { kind: "deferred", code: "http_403", reason: "forbidden", gatewayFault: "refused" },
    { rejectMessage: true },
  );
  assert.equal(settlement.step, "rejected");
  assert.equal(settlement.details.code, "http_403");
});

test("a refusal that may be about the settings rejects the message, or makes it wait uncounted", async () => {
  const refusal: Outcome = { kind: "rejected", code: "E77", reason: "No.", mayBeGatewayFault: true };
  const { settlement, ...rest } = await settled(refusal, { rejectMessage: true });
  assert.deepEqual([settlement.step, rest.health, rest.recipient], ["rejected", "unclear", row.recipient]);
  const { step, details } = (await settled(refusal)).settlement;
  assert.deepEqual([step, details.uncounted, details.dueAt], ["deferred", true, row.due_at]);
});

test("unknown is held", async () => {
  const { settlement, health, dueAgain } = await settled({ kind: "unknown", reason: "no answer" });
  assert.equal(settlement.step, "outcome_unknown");
  assert.equal(settlement.details.code, "unknown");
  assert.equal(dueAgain, null);
  assert.equal(health, "uncertain");
});

test("unknown is sent once more, and only once, where the gateway or its kind says so", async () => {
  const unknown: Outcome = { kind: "unknown", reason: "no answer" };
  for (const options of [
    { rules: { on_unknown: "resend" as const } },
    { adapterPolicy: "resend" as const },
  ]) {
    const { settlement, dueAgain, now } = await settled(unknown, options);
    assert.equal(settlement.step, "resent");
    assert.equal(settlement.details.resend, true);
    assert.equal(dueAgain, now + 5000);
    const again = await settled(unknown, { ...options, row: { resends: 1 }, attempt: 2 });
    assert.equal(again.settlement.step, "outcome_unknown");
  }
  const held = await settled(unknown, { adapterPolicy: "resend", rules: { on_unknown: "hold" } });
  assert.equal(held.settlement.step, "outcome_unknown");
});

test("unknown keeps the references of the parts that were taken, unless it is all sent again", async () => {
  const parts = { references: ["r\u0000-1", "r-2"], each: true, of: 3 };
  const unknown: Outcome = { kind: "unknown", reason: "no answer", parts };
  const { settlement } = await settled(unknown);
  assert.equal(settlement.details.reference, "r -1");
  assert.deepEqual(settlement.parts, { references: ["r -1", "r-2"], each: true, of: 3 });
  const resent = await settled(unknown, { rules: { on_unknown: "resend" } });
  assert.equal(resent.settlement.parts, null);
  assert.equal(resent.settlement.details.reference, undefined);
});

test("an adapter that throws leaves the message unknown, and the log says why", async () => {
  const it = delivering(async () => {
    throw new Error("a bug");
  });
  const sent = await it.work.send(row, 1, new AbortController().signal);
  assert.deepEqual(sent, {
    kind: "unknown",
    code: "adapter_error",
    reason: "The gateway adapter failed; see the log.",
  });
  assert.equal(it.work.breaker.healthOf(sent, row).health, "uncertain");
  assert.match(it.log.text(), /a bug/);
});

test("texts from outside are cleaned: control characters, lone surrogates, length", async () => {
  const { settlement } = await settled({
    kind: "rejected",
    code: `E\u0000\u001b[31m`,
    reason: `a\u0000b\r\nc\ud800d ${"x".repeat(10_000)}`,
  });
  assert.equal(settlement.details.code, "E [31m");
  assert.ok(settlement.details.message?.startsWith("a b c d x"));
  assert.ok((settlement.details.message?.length ?? 0) <= 500);
  const accepted = await settled({ kind: "accepted", reference: "r\u0000ef" });
  assert.equal(accepted.settlement.details.reference, "r ef");
});

test("stamps go under the fence; an outcome that came late is logged", async () => {
  const it = delivering(async () => ({ kind: "accepted", reference: null }), {
    answers: { beginAttempts: () => ({ kind: "fenced" }), settleMessages: () => "late" },
  });
  assert.deepEqual(await it.work.beginAttempts([row], "2026-01-01"), { kind: "fenced" });
  assert.deepEqual(it.calls[0]?.input, {
    laneId: "gw_1",
    fence: 9,
    ids: ["msg_1"],
    at: it.clock.now(),
    lateBefore: it.clock.now() - 259_200_000,
    day: "2026-01-01",
  });
  await it.work.settle(row, 1, { kind: "accepted", reference: null }, { rejectMessage: false, laneNow: 0 });
  assert.match(it.log.text(), /came late/);
  assert.deepEqual(it.points, ["stamp.before", "stamp.after", "settle.before", "settle.after"]);
});

test("what an earlier owner left stamped is classified in batches until none is left", async () => {
  for (const [onUnknown, first] of [
    ["hold", "outcome_unknown"],
    ["resend", "resent"],
  ] as const) {
    let left = 2300;
    const it = delivering(async () => ({ kind: "accepted", reference: null }), {
      rules: { on_unknown: onUnknown },
      answers: {
        recoverMessages: ({ limit }: { limit: number }) => {
          const found = Math.min(left, limit);
          left -= found;
          return found;
        },
      },
    });
    await it.work.recover();
    assert.equal(left, 0);
    assert.equal(it.calls.length, 3);
    const input = it.calls[0]!.input as { first: { step: string }; again: { step: string }; fence: number };
    assert.deepEqual([input.first.step, input.again.step, input.fence], [first, "outcome_unknown", 9]);
  }
});

test("a pause is stored with its end and its reason, a resumption too", async () => {
  const it = delivering(async () => ({ kind: "accepted", reference: null }));
  await it.work.breaker.pause({ forMs: 5000, pauses: 1, reason: "bad\nkey" });
  await it.work.breaker.resume();
  const at = it.clock.now();
  assert.deepEqual(it.calls, [
    {
      name: "pauseLane",
      input: { id: "gw_1", fence: 9, at, until: at + 5000, reason: "bad key", pauses: 1, eventId: "gp_1" },
    },
    { name: "resumeLane", input: { id: "gw_1", fence: 9, at, eventId: "gp_1" } },
  ]);
});
