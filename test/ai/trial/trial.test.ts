// A trial of a pool over scripted members: who is asked when, what became of it, the answer as it comes, and the end.

import assert from "node:assert/strict";
import test from "node:test";
import type { AiGateway } from "#ai/ai.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import { type ServeDeps, serve } from "#ai/serve.ts";
import { TrialStream } from "#ai/trial/trial.ts";
import { usageRow } from "#ai/usage.ts";
import { tryPoolRequest } from "#contract/manage/pools/try.ts";
import type { UsedCall } from "#store/pools/usage.ts";
import { memoryLog } from "../../log.ts";
import { eventsOf } from "../../providers/sse.ts";
import { poolOf } from "../completing.ts";
import { poolKey } from "../pools/pool-keys.ts";
import { pieces, refusal, type Script, script, streamed, wholeStream } from "../scripted-members.ts";

type Fields = Record<string, unknown>;

/** Tries the pool; `records`: what was recorded. `exhaustedForMs`: of a budget. */
function trying(
  it: Script,
  members: Member[],
  input: object = {},
  more: { pool?: Partial<Pool>; exhaustedForMs?: number } = {},
) {
  const pool = poolOf(members, more.pool);
  const records: UsedCall[] = [];
  const deps = {
    chain: () => it.deps,
    refused: () => {},
    budgets: { exhaustedForMs: () => more.exhaustedForMs ?? null },
    throttle: {
      admit: () => ({
        admission: { kind: "admitted", levels: { requests: null, tokens: null } },
        end: () => {},
      }),
    },
    record: (...[, call, outcome]: Parameters<ServeDeps["record"]>) => {
      const row = usageRow(call, outcome);
      records.push(row);
      call.person?.ended(row);
    },
  } as unknown as ServeDeps;
  const ai: Pick<AiGateway, "serve"> = {
    serve: ({ key, pool }, request, caller, signal) => serve(deps, { key, pool, request, caller, signal }),
  };
  const log = memoryLog();
  const asked = tryPoolRequest.parse({ messages: [{ role: "user", content: "hello" }], ...input });
  const stream = new TrialStream({ ai, clock: it.clock, log }, { key: poolKey(), pool }, asked, {
    requestId: "req_1",
    person: "ada@acme.test",
  });
  return { stream, records, log };
}

/** All events; time passes as far as the call waits for it. */
async function eventsFrom(it: Script, stream: TrialStream): Promise<[string, Fields][]> {
  let text = "";
  let over = false;
  const read = async () => {
    for (let next = await stream.next(); next !== null; next = await stream.next()) text += next;
    over = true;
  };
  const reading = read();
  await it.clock.settle();
  for (let turn = 0; turn < 50 && !over; turn++) {
    const due = it.clock.nextDue();
    if (due === null) break;
    await it.clock.advanceTo(due);
  }
  assert.ok(over, "the stream ends");
  await reading;
  return eventsOf(text).map(({ event, data }) => [event ?? "", JSON.parse(data) as Fields]);
}

const priced = { price: { input: 1, output: 2 } };

test("a member fails, the next one answers: each attempt is an event as it is asked and as it ends, with the provider's words", async () => {
  const it = script();
  const members = [
    it.member("one", [{ afterMs: 120, reply: refusal(503, "overloaded") }]),
    it.member("two", [{ afterMs: 400, reply: wholeStream }], { priority: 2, ...priced }),
  ];
  const { stream, records } = trying(it, members);
  const events = await eventsFrom(it, stream);
  const open = { outcome: null, status: null, reason: null, failed_ms: null, first_word_ms: null };
  const [one, two] = members.map(({ id, name, models: [model] }) => ({ member: id, name, model }));
  assert.deepEqual(events.slice(0, 4), [
    ["attempt", { number: 1, ...one, asked_ms: 0, ...open }],
    [
      "attempt",
      {
        ...{ number: 1, ...one, asked_ms: 0, ...open },
        ...{ outcome: "upstream_error", status: 503, reason: "no: overloaded", failed_ms: 120 },
      },
    ],
    ["attempt", { number: 2, ...two, asked_ms: 120, ...open }],
    [
      "attempt",
      { number: 2, ...two, asked_ms: 120, ...open, outcome: "ok", status: 200, first_word_ms: 520 },
    ],
  ]);
  assert.deepEqual(
    events.filter(([event]) => event === "chunk").map(([, { text }]) => text),
    ["hello", " there"],
  );
  assert.deepEqual(events.at(-1), [
    "end",
    {
      member: "two",
      model: "model-two",
      finish_reason: "stop",
      request_id: "req_1",
      tokens: { prompt: 7, completion: 2, estimated: false },
      cost: 0.000011,
      attempts: 2,
      first_byte_ms: 520,
      ms: 520,
    },
  ]);
  assert.deepEqual([records.length, records[0]?.person, records[0]?.failed_over], [1, "ada@acme.test", 1]);
});

test("a member that is pretended to be down is asked nothing, is an event, and stays well; all of them are an error", async () => {
  const it = script();
  const members = [it.member("one", [wholeStream]), it.member("two", [wholeStream], { priority: 2 })];
  const { stream, records } = trying(it, members, { pretend_down: [members[0]!.id] });
  const events = await eventsFrom(it, stream);
  assert.deepEqual(it.names(), ["two"]);
  assert.equal(events[1]?.[1].outcome, "pretended_down");
  assert.deepEqual([events.at(-1)?.[0], events.at(-1)?.[1].member], ["end", "two"]);
  assert.deepEqual([it.down, it.logged], [[], []]);
  const outcomes = (JSON.parse(records[0]!.attempts) as { outcome: string }[]).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["pretended_down", "ok"]);
  assert.equal(members[0]!.health.overallAvailability(it.clock.monotonic(), ["echo"]).kind, "up");
  const none = trying(it, members, { pretend_down: members.map(({ id }) => id) });
  const [last] = (await eventsFrom(it, none.stream)).slice(-1);
  assert.equal(last?.[0], "error");
  assert.equal(it.names().length, 1);
  // A trial that says nothing of it asks the first member as ever.
  await eventsFrom(it, trying(it, members).stream);
  assert.equal(it.names().at(-1), "one");
});

test("a stream that is cut after its first word ends with the error and what was used", async () => {
  const it = script();
  const { stream } = trying(it, [it.member("one", [streamed(pieces.role, pieces.word("hel"), "cut")])]);
  const events = await eventsFrom(it, stream);
  assert.deepEqual(
    events.map(([event]) => event),
    ["attempt", "attempt", "chunk", "error"],
  );
  const { status, code, tokens } = events.at(-1)![1] as { status: number; code: string; tokens: Fields };
  assert.deepEqual([status, code, tokens.estimated], [502, "upstream_cut", true]);
});

test("headers that are sent early change nothing: the error of a silent pool is its last event", async () => {
  const it = script();
  const { stream } = trying(it, [it.member("one", ["silent"])], {}, { pool: { headers_after_ms: 10 } });
  const events = await eventsFrom(it, stream);
  assert.deepEqual(
    [events.map(([event]) => event), events.at(-1)?.[1].status],
    [["attempt", "attempt", "error"], 504],
  );
});

test("a budget that is spent refuses it before any member is asked", async () => {
  const it = script();
  const { stream, records } = trying(it, [it.member("one", [wholeStream])], {}, { exhaustedForMs: 5_000 });
  const events = await eventsFrom(it, stream);
  const [event, { status, code, retry_after_ms }] = events[0]!;
  assert.deepEqual([event, status, code, retry_after_ms], ["error", 429, "insufficient_quota", 5_000]);
  assert.deepEqual([events.length, it.asked.length, records.length], [1, 0, 0]);
});

test("who leaves gives up the member, before its first word and after it; the call is recorded", async () => {
  for (const reply of ["hang", streamed(pieces.role, pieces.word("hel"), "hang")] as const) {
    const it = script();
    const { stream, records } = trying(it, [it.member("one", [reply])]);
    let seen = (await stream.next()) ?? "";
    if (reply !== "hang") while (!seen.includes("event: chunk")) seen += await stream.next();
    stream.cancel();
    assert.equal(await stream.next(), null);
    for (let turn = 0; turn < 50 && records.length === 0; turn++) await Promise.resolve();
    assert.deepEqual([it.aborted, records.map(({ status }) => status)], [["one"], [499]]);
    assert.deepEqual(it.down, []);
  }
});

test("a fault of the service ends it with an error, and is logged", async () => {
  const it = script();
  const clock = it.clock;
  const log = memoryLog();
  const ai = { serve: () => Promise.reject(new Error("broken")) };
  const asked = tryPoolRequest.parse({ messages: [{ role: "user", content: "hello" }] });
  const opened = { key: poolKey(), pool: poolOf([]) };
  const stream = new TrialStream({ ai, clock, log }, opened, asked, { requestId: "req_1", person: "ada" });
  const [[event, { status, code }]] = (await eventsFrom(it, stream)) as [[string, Fields]];
  assert.deepEqual([event, status, code], ["error", 500, "server_error"]);
  assert.match(log.text(), /pool\.trial_failed/);
});
