// Receipts that wait for the spelling of ids: kept, restored, bounded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HeldReceipts } from "#gateways/sms/smpp/held-receipts.ts";
import { IdSpelling } from "#gateways/sms/smpp/spelling.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../../../log.ts";

const recipient = "+4915112345678";
const read = (id: string) => ({ id, addresses: [recipient], status: "delivered" as const, code: "DELIVRD" });

/** Of an SMSC that took messages with hexadecimal ids, all for one phone. */
function heldOf(count: number) {
  const log = memoryLog();
  const spelling = new IdSpelling({ answer: "as-is", receipt: "as-is" });
  for (let id = 1; id <= count; id += 1) spelling.taken(id.toString(16), recipient);
  return { spelling, log, held: new HeldReceipts({ clock: movableClock(), log }, spelling) };
}

test("what an earlier session held is reported once the spelling is known, and is then forgotten", () => {
  const first = heldOf(20);
  assert.deepEqual(first.held.read(read("10")), [], "the message 10, or the message 16");
  const { toKeep, receipts } = first.held.settle();
  assert.deepEqual([toKeep.size, receipts], [1, []]);
  assert.equal(first.held.settle().toKeep.size, 0, "it is kept once");

  const next = heldOf(60);
  const others = next.held.load(new Map([...toKeep, ["group/1", "a part"]]));
  assert.deepEqual([...others.keys()], ["group/1"]);
  const reported = [40, 41, 42].flatMap((id) => next.held.read(read(String(id))));
  assert.deepEqual(
    reported.map(({ reference }) => reference),
    ["28", "29", "2a"],
  );
  const settled = next.held.settle();
  assert.deepEqual(settled.receipts, [{ reference: "a", status: "delivered", code: "DELIVRD" }]);
  assert.deepEqual(
    [settled.toForget, settled.toKeep.get("spelling")],
    [[...toKeep.keys()], "as-is/as-is hex/dec"],
  );
  assert.equal(settled.accountUpdates.length, 1);
  assert.deepEqual(next.held.settle(), { receipts: [], accountUpdates: [], toKeep: new Map(), toForget: [] });

  const last = heldOf(0);
  last.held.load(settled.toKeep);
  assert.deepEqual(last.held.settle().accountUpdates, [], "one notice is enough");
});

test("of the first messages is kept what a later session needs, under the same settings, until the spelling is known", () => {
  const { held } = heldOf(0);
  const notes = new Map<string, string>();
  for (let id = 1; id <= 201; id += 1)
    for (const entry of held.note(id.toString(16), recipient) ?? []) notes.set(...entry);
  assert.equal(notes.size, 200);
  const other = new IdSpelling({ answer: "hex", receipt: "dec" });
  new HeldReceipts({ clock: movableClock(), log: memoryLog() }, other).load(notes);
  assert.deepEqual(other.read("40", [recipient]), { kind: "held", isAbsent: true });

  const next = heldOf(0);
  assert.equal(next.held.load(notes).size, 0);
  for (const id of [190, 191, 192]) assert.equal(next.held.read(read(String(id))).length, 1);
  assert.deepEqual(new Set(next.held.settle().toForget), new Set(notes.keys()));
  assert.equal(next.held.note("ff", recipient), null);
});

test("beyond a thousand the oldest is dropped, and the log says so", () => {
  const { held, log } = heldOf(20);
  for (let number = 0; number < 1_001; number += 1) held.read(read("10"));
  assert.equal(held.settle().toKeep.size, 1_000);
  assert.match(log.text(), /smpp\.receipt_unclear/);
});

test("after twenty held receipts in a row that name no message the session says so, and counts anew", () => {
  const { held } = heldOf(0);
  const unmatched = Array.from({ length: 45 }, (_, index) => {
    held.read(read(String(7_000_000 + index)));
    return held.settle().unmatched ?? false;
  });
  assert.deepEqual(
    unmatched.flatMap((isUnmatched, index) => (isUnmatched ? [index + 1] : [])),
    [20, 40],
  );
  const { held: mixed, spelling } = heldOf(0);
  for (let index = 0; index < 45; index += 1) {
    if (index % 15 === 0) spelling.taken(String(8_000_000 + index), recipient);
    mixed.read(read(String(8_000_000 + index)));
    assert.equal(mixed.settle().unmatched, undefined, `${index}`);
  }
});
