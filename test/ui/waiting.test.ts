// Why a message waits: each trouble made for real, and what its record, the lists and its page's sentence say then.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { type WaitingReason, waitingReasons } from "#contract/messages/waiting-for.ts";
import { holdPending } from "#store/maintenance/restore-hold.ts";
import type { MessageRecord, MessageTransmission } from "#ui/api/schema.ts";
import { nextOf } from "#ui/messages/sentences/next.ts";
import { gatewayInTheWay, waitingSentence, waitingWord } from "#ui/messages/sentences/waiting.ts";
import { dataOf, type Managed, managed } from "../http/routes/manage/managed.ts";
import { answer, providerSettings, takes } from "../scenarios/provider.ts";

let m: Managed;
let path: string;
beforeEach(async () => {
  m = await managed({ respond: takes });
  const { id } = await m.it.account({ time_zone: "UTC" });
  path = `/accounts/${id}`;
});
afterEach(() => m.close());

const make = (more: object = {}) =>
  m.it.gateway({ identifier: "main", kind: "http-api", settings: providerSettings, default: true, ...more });
const send = async (more: object = {}) =>
  (await m.it.accepted([{ number: "+4915123456789", message: "Hi", ...more }]))[0]!;
const now = () => new Date(m.it.clock.now()).toISOString();
const minute = 60_000;

/** What the record, both lists and the account's own look-up say; they agree. */
async function seen(id: string) {
  type Shown = { record: MessageRecord; attempt: { repeats: number }; attempts: MessageTransmission[] };
  const shown = dataOf<Shown>(await m.operator("GET", `${path}/messages/${id}`));
  const { waiting_for } = shown.record;
  const list = dataOf<MessageRecord[]>(await m.operator("GET", `${path}/messages?brief=true`));
  const own = (await m.it.get("/api/get/sms")).json() as { data: MessageRecord[] };
  const others = [...list, ...own.data].filter((record) => record.id === id);
  for (const { waiting_for: same } of [...others, await m.it.message(id)])
    assert.deepEqual(same, waiting_for);
  assert.equal(others.length, 2);
  return {
    waiting: waiting_for,
    sentence: nextOf(shown as Parameters<typeof nextOf>[0]),
    word: waitingWord(shown.record),
    gateway: gatewayInTheWay(shown.record),
  };
}

const none = { until: null, since: null, by: null, detail: null };

test("stopped by a person: who, when, and that it takes a person; resumed, it is sent", async () => {
  await make();
  const since = now();
  await m.operator("POST", `${path}/gateways/main/pause`);
  const id = await send();
  await m.it.advance(28 * minute);
  const { waiting, sentence, word, gateway } = await seen(id);
  assert.match(waiting?.by ?? "", /^token \d+$/);
  assert.deepEqual(waiting, { ...none, reason: "gateway_stopped", since, by: waiting?.by });
  assert.equal(
    sentence,
    `Its gateway main was stopped by ${waiting?.by} at ${since}. It is sent when someone resumes it.`,
  );
  assert.deepEqual([word, gateway], ["gateway stopped", "main"]);
  await m.operator("POST", `${path}/gateways/main/resume`);
  await m.it.settle();
  assert.deepEqual((await seen(id)).waiting, null);
});

test("a gateway that fails: since when and why, until it is tried again, also after an operator had it tried", async () => {
  await make();
  m.it.respond(() => answer(401, { message: "wrong key" }));
  const since = now();
  const id = await send();
  await m.it.advance(1_000);
  const paused = async () => {
    const { waiting, sentence } = await seen(id);
    assert.equal(waiting?.reason, "gateway_paused");
    assert.equal(waiting?.since, since);
    assert.match(waiting?.detail ?? "", /401/);
    assert.match(
      sentence,
      new RegExp(`^Its gateway main has failed since ${since} \\(.*401.*\\)\\. The gateway`),
    );
    return waiting?.until ?? "";
  };
  const until = await paused();
  assert.ok(until > now());
  await m.it.advance(44 * minute);
  assert.ok((await paused()) > until);
  await m.operator("POST", `${path}/gateways/main/resume`);
  await m.it.settle();
  await paused();
  const shown = dataOf<{ pause: { since: string } }>(await m.operator("GET", `${path}/gateways/main`));
  assert.equal(shown.pause.since, since);
  m.it.respond(takes);
  await m.operator("POST", `${path}/gateways/main/resume`);
  await m.it.settle();
  assert.deepEqual((await seen(id)).waiting, null);
  // The next failure is another one.
  m.it.respond(() => answer(401, { message: "wrong key" }));
  await m.it.advance(minute);
  const again = now();
  const next = await send();
  await m.it.settle();
  assert.equal((await seen(next)).waiting?.since, again);
});

test("put off by its provider: until its next attempt", async () => {
  await make();
  m.it.respond(() => answer(429, {}, { "retry-after": "60" }));
  const since = now();
  const id = await send();
  await m.it.settle();
  const { waiting, sentence, gateway } = await seen(id);
  const { next_attempt_at } = await m.it.message(id);
  assert.deepEqual(waiting, { ...none, reason: "retry", until: next_attempt_at, since });
  assert.equal(sentence, `Its last attempt did not send it. It is tried again at ${next_attempt_at}.`);
  assert.equal(gateway, null);
});

test("at its time, outside the hours, and with the day's limit used up", async () => {
  await make({ pace: { hours: "08:00-20:00", per_day: 1 } });
  const day = now().slice(0, 10);
  const at = `${day.slice(0, 8)}${String(Number(day.slice(8)) + 1).padStart(2, "0")}`;
  assert.match(now(), /T00:00/, "the test's clock starts at midnight");
  const first = await send();
  assert.deepEqual((await seen(first)).waiting, {
    ...none,
    reason: "sending_hours",
    until: `${day}T08:00:00.000Z`,
  });
  const [scheduled, early] = [
    await send({ schedule_at: `${at} 09:00:00` }),
    await send({ schedule_at: `${at} 03:00:00` }),
  ];
  const { waiting, sentence } = await seen(scheduled);
  assert.deepEqual([waiting?.reason, waiting?.until], ["schedule", `${at}T09:00:00.000Z`]);
  assert.equal(sentence, `It is sent at ${at}T09:00:00.000Z. Until then it can be moved or cancelled.`);
  assert.deepEqual(
    (await seen(early)).waiting?.until,
    `${at}T08:00:00.000Z`,
    "its hours come after its time",
  );
  await m.it.advance(9 * 60 * minute);
  assert.equal((await m.it.message(first)).status, "sent");
  const second = await send();
  const over = await seen(second);
  assert.deepEqual(over.waiting, { ...none, reason: "daily_limit", until: `${at}T08:00:00.000Z` });
  assert.equal(
    over.sentence,
    `Its gateway main has reached its daily limit. It is sent from ${at}T08:00:00.000Z on.`,
  );
});

test("behind others at a slow pace it is its turn that it waits for", async () => {
  await make({ pace: { per_second: 0.01 } });
  await send();
  await m.it.settle();
  const id = await send();
  const { waiting, word } = await seen(id);
  assert.deepEqual([waiting?.reason, waiting?.until, word], ["turn", null, null]);
});

test("switched off, never linked, and held after a restore", async () => {
  await make();
  await m.operator("POST", `${path}/gateways/main/pause`);
  const id = await send({ gateway_identifier: "main" });
  await m.operator("PATCH", `${path}/gateways/main`, { active: false });
  assert.deepEqual((await seen(id)).waiting, { ...none, reason: "gateway_off" });
  await m.it.gateway({ identifier: "phone", kind: "android", settings: {} });
  const onPhone = await send({ gateway_identifier: "phone" });
  await m.it.advance(minute);
  const { waiting, sentence } = await seen(onPhone);
  assert.equal(waiting?.reason, "not_linked");
  assert.equal(sentence, "Its gateway phone has no linked device. It is sent when someone links one.");
  while (!(await m.it.system.database.run(holdPending, { at: m.it.clock.now(), limit: 100 })));
  const held = await seen(onPhone);
  assert.deepEqual(held.waiting, { ...none, reason: "held_after_restore" });
  assert.match(held.sentence, /an operator releases it, and not before\.$/);
});

test("every reason has a sentence with its facts for either state, and claims a time only if there is one", () => {
  const full = { until: instantOf(1), since: instantOf(2), by: "ada", detail: "It broke." };
  const timeless: ReadonlySet<WaitingReason> = new Set(waitingReasons.slice(0, 6));
  for (const reason of waitingReasons)
    for (const status of ["queued", "scheduled"] as const)
      for (const facts of [
        full,
        { ...none, until: timeless.has(reason) || reason === "turn" ? null : full.until },
      ]) {
        const waiting_for = {
          ...facts,
          until: facts === full && timeless.has(reason) ? null : facts.until,
          reason,
        };
        const record = { status, gateway_identifier: "main", scheduled_for: instantOf(3), waiting_for };
        const sentence = waitingSentence(record) ?? "";
        assert.match(sentence, /^(Its|It) [^.].*\.$/, reason);
        assert.doesNotMatch(sentence, /null|undefined|\.\.|by itself/, reason);
        if (timeless.has(reason)) assert.ok(!sentence.includes(instantOf(1)), reason);
        else if (reason !== "turn") assert.ok(sentence.includes(instantOf(1)), reason);
        assert.equal(
          sentence.includes(`It is scheduled for ${instantOf(3)}.`),
          status === "scheduled" && reason !== "schedule",
          reason,
        );
      }
});

function instantOf(minutes: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
}
