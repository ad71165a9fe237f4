// Hints of changes: gathered by account, passed on between processes, never one account's to another's watchers.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Topic } from "#contract/manage/account-events.ts";
import { createAccountChanges } from "#core/account-changes.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { ChangeListeners, type Changes } from "#store/changes.ts";
import type { Database } from "#store/database.ts";
import { memoryLog } from "../log.ts";

/** Processes that hear each other's notifications. */
function processes(count: number, lanes: Record<string, string[]> = {}) {
  const clock = movableClock();
  const listeners: ((topic: string) => void)[] = [];
  const notified: string[] = [];
  const all = Array.from({ length: count }, (_, number) => {
    const log = memoryLog();
    const changed = new ChangeListeners();
    const database = {
      engine: count > 1 ? "postgres" : "sqlite",
      run: async (_operation: unknown, accountId: string) => lanes[accountId] ?? [],
      notify: (topic: string) => {
        notified.push(topic);
        for (const [at, listener] of listeners.entries()) if (at !== number) listener(topic);
      },
      onChanges: (listener: (changes: Changes) => void) => changed.add(listener),
      onNotify: (listener: (topic: string) => void) => {
        listeners[number] = listener;
      },
    } as unknown as Database;
    const change = (subject: string, topic: Topic) =>
      changed.announce({ kinds: [], due: [], topics: [[subject, [topic]]] });
    return { change, changes: createAccountChanges({ clock, database, log }) };
  });
  const watch = (number: number, accountId: string, person = "usr_1") => {
    const seen: (readonly Topic[])[] = [];
    let isOver = false;
    const watching = all[number]?.changes.watch(accountId, person, {
      changed: (topics) => seen.push(topics),
      over: () => {
        isOver = true;
      },
    });
    return { seen, watching, isOver: () => isOver };
  };
  return { clock, all, notified, watch };
}

test("changes of half a second come as one hint, of the account and its lanes alone", async () => {
  const { clock, all, watch, notified } = processes(1, { acc_1: ["gw_1"], acc_2: ["gw_2"] });
  const [one, two] = [watch(0, "acc_1"), watch(0, "acc_2")];
  await clock.advance(1);
  for (const subject of ["acc_1", "gw_1", "gw_1"]) all[0]?.change(subject, "messages");
  all[0]?.change("gw_1", "gateways");
  await clock.advance(499);
  assert.deepEqual(one.seen, []);
  await clock.advance(1);
  assert.deepEqual(one.seen, [["gateways", "messages"]]);
  assert.deepEqual(two.seen, []);
  all[0]?.change("gw_2", "links");
  one.watching?.end();
  all[0]?.change("acc_1", "messages");
  await clock.advance(500);
  assert.deepEqual([one.seen.length, two.seen], [1, [["links"]]]);
  assert.deepEqual(notified, [], "one process notifies no other process");
});

test("other processes hear of it once, and pass nothing on", async () => {
  const { clock, all, watch, notified } = processes(3, { acc_1: ["gw_1"] });
  const one = watch(1, "acc_1");
  await clock.advance(1);
  all[0]?.change("gw_1", "messages");
  all[0]?.change("acc_1", "credit");
  all[0]?.change("acc_3", "credit");
  await clock.advance(500);
  assert.equal(notified.length, 1);
  await clock.advance(2_000);
  assert.deepEqual(one.seen, [["credit", "messages"]]);
  assert.equal(notified.length, 1);
  for (let number = 0; number < 250; number++)
    all[0]?.change(`acc_01k3j5m8q2x9v7n4c6b0d1${1000 + number}`, "messages");
  await clock.advance(500);
  assert.equal(notified.length, 4);
  for (const text of notified) assert.ok(Buffer.byteLength(text) < 8_000, "PostgreSQL takes no longer one");
});

test("a person watches 20 times at once; all watches end with the process", () => {
  const { all, watch } = processes(1);
  const open = Array.from({ length: 20 }, () => watch(0, "acc_1"));
  assert.equal(watch(0, "acc_1").watching, null);
  assert.ok(watch(0, "acc_1", "usr_2").watching);
  open[0]?.watching?.end();
  open[0]?.watching?.end();
  assert.ok(watch(0, "acc_1").watching);
  assert.equal(watch(0, "acc_1").watching, null, "ending twice frees one place");
  all[0]?.changes.close();
  assert.deepEqual([open[0]?.isOver(), open[1]?.isOver()], [false, true]);
  assert.equal(watch(0, "acc_1", "usr_3").watching, null);
});
