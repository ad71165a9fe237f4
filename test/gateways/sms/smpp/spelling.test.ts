// What ids of receipts mean, and how that is learnt where the settings are wrong.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type IdFormats, IdSpelling } from "#gateways/sms/smpp/spelling.ts";

const asIs: IdFormats = { answer: "as-is", receipt: "as-is" };
const hexDec: IdFormats = { answer: "hex", receipt: "dec" };
const to = (number: number) => `+49151${String(number).padStart(8, "0")}`;
const hex = (number: number) => number.toString(16);

/** Messages 1 to `count` that an SMSC with hexadecimal answers took, each for a number of its own or all for `recipient`. */
function hexadecimal(count: number, recipient?: string) {
  const spelling = new IdSpelling(asIs);
  const references = new Map<number, string>();
  for (let id = 1; id <= count; id += 1) references.set(id, spelling.taken(hex(id), recipient ?? to(id)));
  return { spelling, references };
}

test("decimal receipts of hexadecimal ids find their own messages, and nothing else", () => {
  const { spelling, references } = hexadecimal(40);
  for (let id = 1; id <= 40; id += 1) {
    const meaning = spelling.read(String(id), [to(id), "ACME"]);
    assert.deepEqual(meaning, { kind: "reference", reference: references.get(id) }, `receipt ${id}`);
  }
  assert.deepEqual(spelling.learnt, hexDec);
  assert.equal(spelling.taken("29", to(41)), "41", "the next ones have the learnt spelling");
});

test("all to one phone: what may be two messages is held until it is clear", () => {
  const { spelling, references } = hexadecimal(60, to(7));
  const held: number[] = [];
  for (let id = 1; id <= 60; id += 1) {
    const meaning = spelling.read(String(id), [to(7), "ACME"]);
    if (meaning.kind === "held") held.push(id);
    else assert.equal(meaning.reference, references.get(id), `receipt ${id}`);
  }
  assert.ok(held.includes(10), "10 is also the spelling of the message 16");
  assert.deepEqual(spelling.learnt, hexDec);
  for (const id of held)
    assert.deepEqual(spelling.read(String(id), [to(7)]), {
      kind: "reference",
      reference: references.get(id),
    });
});

test("settings that are right stay, for decimal, hexadecimal and other ids", () => {
  for (const idOf of [
    (number: number) => String(1_000_000 + number),
    (number: number) => hex(0xabcdef + number),
    (number: number) => `7f3a-${number}`,
  ]) {
    const spelling = new IdSpelling(asIs);
    for (let number = 1; number <= 40; number += 1) spelling.taken(idOf(number), to(number));
    for (let number = 1; number <= 40; number += 1)
      assert.deepEqual(spelling.read(idOf(number), ["4915100000000", to(number).slice(1)]), {
        kind: "reference",
        reference: idOf(number),
      });
    assert.equal(spelling.learnt, null);
    assert.deepEqual(spelling.read("of an earlier session", []), {
      kind: "reference",
      reference: "of an earlier session",
    });
  }
});

test("hexadecimal receipts of decimal ids, and settings that convert where nothing is to be converted", () => {
  const opposite = new IdSpelling(asIs);
  for (let id = 500; id < 520; id += 1) opposite.taken(String(id), to(id));
  for (let id = 500; id < 520; id += 1)
    assert.deepEqual(opposite.read(hex(id), [to(id)]), { kind: "reference", reference: String(id) });
  assert.deepEqual(opposite.learnt, { answer: "dec", receipt: "hex" });

  const needless = new IdSpelling(hexDec);
  const references = new Map<number, string>();
  for (let id = 500; id < 520; id += 1) references.set(id, needless.taken(String(id), to(id)));
  for (let id = 500; id < 520; id += 1)
    assert.deepEqual(needless.read(String(id), [to(id)]), {
      kind: "reference",
      reference: references.get(id),
    });
  assert.deepEqual(needless.learnt, asIs);
});

test("an SMSC that writes other addresses into receipts is believed after twenty, and not before", () => {
  const spelling = new IdSpelling(asIs);
  for (let id = 1; id <= 25; id += 1) spelling.taken(String(5_000_000 + id), to(id));
  const kinds = Array.from(
    { length: 25 },
    (_, index) => spelling.read(String(5_000_001 + index), ["4912399999999", "4912388888888"]).kind,
  );
  assert.deepEqual([kinds[0], kinds.indexOf("reference"), kinds.at(-1)], ["held", 19, "reference"]);
  assert.equal(spelling.learnt, null);
});

test("an id of which no message is known, and which may be another's in another spelling, is held", () => {
  const spelling = new IdSpelling(asIs);
  assert.deepEqual(spelling.read("16", [to(1)]), { kind: "held", isAbsent: true });
  for (const id of ["7", "7f3a-1", "1f"])
    assert.deepEqual(spelling.read(id, [to(1)]), { kind: "reference", reference: id });
});

test("what was learnt is kept for the same settings alone", () => {
  const { spelling } = hexadecimal(40);
  for (let id = 17; id <= 40; id += 1) spelling.read(String(id), [to(id)]);
  const { stored } = spelling;
  assert.ok(stored);
  const next = new IdSpelling(asIs);
  next.restore(stored);
  assert.deepEqual(next.learnt, hexDec);
  assert.equal(next.taken("1f", to(1)), "31");
  const other = new IdSpelling({ answer: "dec", receipt: "dec" });
  other.restore(stored);
  assert.deepEqual([other.isKnown, other.learnt], [false, null]);
});

test("receipts that write an id with other zeros or in another case find their messages", () => {
  const spellings: [name: string, answer: (id: number) => string, receipt: (answered: string) => string][] = [
    [
      "zeros dropped",
      (id) => `00B8BE${hex(16 + id).toUpperCase()}`,
      (answered) => answered.replace(/^0+/, ""),
    ],
    ["zeros added", (id) => String(870_928_700 + id), (answered) => `000${answered}`],
    ["capitals", (id) => `0e999f${hex(16 + id)}-81ef-4974`, (answered) => answered.toUpperCase()],
    ["small letters", (id) => `AB${hex(4096 + id).toUpperCase()}`, (answered) => answered.toLowerCase()],
  ];
  for (const [name, answer, receipt] of spellings) {
    const spelling = new IdSpelling(asIs);
    const references = new Map<number, string>();
    for (let id = 1; id <= 40; id += 1) references.set(id, spelling.taken(answer(id), to(id)));
    for (let id = 1; id <= 40; id += 1)
      assert.deepEqual(
        spelling.read(receipt(answer(id)), [to(id)]),
        { kind: "reference", reference: references.get(id) },
        `${name}: ${id}`,
      );
    assert.deepEqual(spelling.learnt, { answer: "lenient", receipt: "lenient" }, name);
    assert.equal(spelling.taken(answer(41), to(41)), receipt(answer(41)).toLowerCase().replace(/^0+/, ""));
  }
});

test("ids that were the same in both places may differ in zeros later, and exact ones go first", () => {
  const spelling = new IdSpelling(asIs);
  const read = (id: string, number: number) => spelling.read(id, [to(number)]);
  for (let number = 1; number <= 5; number += 1) {
    const id = spelling.taken(`A${number}F0B2`, to(number));
    assert.deepEqual(read(id, number), { kind: "reference", reference: id });
  }
  assert.deepEqual([spelling.isKnown, spelling.learnt], [true, null]);
  // Two messages that differ in zeros alone: each has its own receipt.
  const [padded, bare] = [spelling.taken("00B19", to(6)), spelling.taken("B19", to(7))];
  assert.deepEqual(read("B19", 7), { kind: "reference", reference: bare });
  assert.deepEqual(read("00B19", 6), { kind: "reference", reference: padded });
  assert.deepEqual(
    read("0B19", 6),
    { kind: "reference", reference: padded },
    "the recipient tells them apart",
  );
  assert.deepEqual(spelling.learnt, null);
  for (let number = 10; number < 13; number += 1) {
    const reference = spelling.taken(`000C${number}D`, to(number));
    assert.deepEqual(read(`c${number}d`, number), { kind: "reference", reference });
  }
  assert.deepEqual(spelling.learnt, { answer: "lenient", receipt: "lenient" });
  const restarted = new IdSpelling(asIs);
  assert.ok(spelling.stored);
  restarted.restore(spelling.stored);
  const reference = restarted.taken("000C99D", to(20));
  assert.deepEqual(restarted.read("C99D", [to(20)]), { kind: "reference", reference });
});

test("a lenient reading names no message to another recipient, and none of two to the same", () => {
  const spelling = new IdSpelling(asIs);
  spelling.taken("00AB1", to(1));
  assert.deepEqual(spelling.read("AB1", [to(2)]), { kind: "reference", reference: "AB1" });
  spelling.taken("0AB1", to(1));
  assert.deepEqual(spelling.read("AB1", [to(1)]), { kind: "held", isAbsent: false });
});
