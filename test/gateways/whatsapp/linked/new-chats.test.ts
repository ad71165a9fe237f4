// How many chats a number may begin in a day.

import assert from "node:assert/strict";
import { test } from "node:test";
import { maxNewChats, NewChatGate } from "#gateways/whatsapp/linked/new-chats.ts";
import { SessionStore } from "#gateways/whatsapp/linked/session-store.ts";
import { movableClock } from "#runtime/movable-clock.ts";

const day = 86_400_000;

test("the bound grows from the day of linking to 100 after 14 days", () => {
  const linkedAt = 100 * day + 5;
  const max = (days: number) => maxNewChats("ramp", { linkedAt, now: linkedAt + days * day });
  assert.deepEqual([0, 1, 2, 3, 4, 13, 14, 400].map(max), [10, 15, 20, 30, 40, 95, 100, 100]);
  assert.equal(maxNewChats(7, { linkedAt, now: linkedAt }), 7);
  assert.equal(maxNewChats(null, { linkedAt, now: linkedAt }), null);
});

function gate(setting: number | "ramp" | null) {
  const clock = movableClock();
  const stored = new Map<string, string | null>();
  const state = {
    load: async () => new Map<string, string>(),
    save: async (changes: ReadonlyMap<string, string | null>) => {
      for (const [key, value] of changes) stored.set(key, value);
    },
  };
  return { clock, stored, gate: new NewChatGate(clock, new SessionStore(state, new Map()), setting) };
}

test("a person is counted once, and the count begins anew with the day", async () => {
  const { clock, gate: chats } = gate(1);
  assert.equal(await chats.admit("+1"), null);
  assert.equal(await chats.admit("+1"), null);
  const held = await chats.admit("+2");
  assert.ok(held?.kind === "deferred" && held.code === "new_chats_used_up");
  const wait = held.retryAfterMs ?? 0;
  assert.ok(wait > 0 && wait <= day);
  await clock.advance(wait);
  assert.equal(await chats.admit("+2"), null);
});

test("while WhatsApp limits the number, known people alone are written to", async () => {
  const { clock, gate: chats } = gate(null);
  assert.equal(await chats.admit("+1"), null);
  assert.equal(chats.limit(clock.now() + 5_000), true);
  assert.equal(await chats.admit("+1"), null);
  assert.deepEqual(await chats.admit("+2"), {
    kind: "deferred",
    code: "463",
    reason: "WhatsApp forbids the number to begin chats for a time.",
    retryAfterMs: 5_000,
  });
  await clock.advance(5_000);
  assert.equal(await chats.admit("+2"), null);
  assert.equal(chats.limit(clock.now() - 1), false);
});
