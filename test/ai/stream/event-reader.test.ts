// Server-sent events by the standard, against a second reading of it written down here: any line ends, any split,
// comments, byte order marks, and work that grows with the bytes and not with their square.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventReader } from "#ai/stream/event-reader.ts";
import type { VendorEvent } from "#providers/provider.ts";
import { eventsIn } from "../wire.ts";

/** The standard, as plainly as it can be said: for text that is all there. */
function plainly(text: string): VendorEvent[] {
  const events: VendorEvent[] = [];
  let data: string[] = [];
  let event: string | null = null;
  for (const line of [...text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/), ""]) {
    if (line === "") {
      if (data.length > 0) events.push({ event, data: data.join("\n") });
      data = [];
      event = null;
    } else if (!line.startsWith(":")) {
      const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
      if (name === "data") data.push(value);
      if (name === "event") event = value === "" ? null : value;
    }
  }
  return events;
}

const bytes = (text: string) => Buffer.from(text, "utf8");

test("every part of the standard, in every split, with every line end", () => {
  const lines = [
    "\uFEFF: a comment",
    "data: one",
    "",
    "event: named",
    "data:no blank",
    "data:  two blanks",
    "data",
    "id: 7",
    "retry: 10",
    "unknown: x",
    "",
    ":",
    "",
    "data: Grüße 👋🏽 \u2028",
    "",
    "event: lost",
    "",
    "data: the last needs no empty line",
  ];
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = lines.join(end);
    const wire = bytes(text);
    const expected = plainly(text);
    assert.equal(expected.length, 4);
    assert.deepEqual(eventsIn([wire]), expected);
    for (let at = 0; at <= wire.length; at++)
      assert.deepEqual(
        eventsIn([wire.subarray(0, at), wire.subarray(at)]),
        expected,
        `${JSON.stringify(end)} at ${at}`,
      );
    assert.deepEqual(eventsIn([...wire].map((byte) => Buffer.of(byte))), expected);
  }
});

test("any text, split anywhere, is what the standard says", () => {
  const word = fc.constantFrom(
    "data",
    "event",
    ":",
    ": ",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "x",
    "é",
    "👋",
    "id",
    "retry",
    "\uFEFF",
  );
  const property = fc.property(
    fc.array(word, { maxLength: 40 }),
    fc.array(fc.nat(), { maxLength: 6 }),
    (words, cuts) => {
      const text = words.join("").replace(/^\uFEFF+/, "");
      const wire = bytes(text);
      const places = [0, ...cuts.map((cut) => cut % (wire.length + 1)).sort((a, b) => a - b), wire.length];
      const pieces = places.slice(1).map((to, at) => wire.subarray(places[at], to));
      assert.deepEqual(eventsIn(pieces), plainly(text));
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test("bytes that are no UTF-8 become replacement characters and do no harm", () => {
  const wire = Buffer.concat([
    bytes("data: a"),
    Buffer.of(0xff, 0xed, 0xa0, 0x80),
    bytes("b\n\ndata: c\n\n"),
  ]);
  assert.deepEqual(
    eventsIn([wire])?.map(({ data }) => data.replace(/\uFFFD+/, "?")),
    ["a?b", "c"],
  );
});

test("an event of 4 MB, in one line or many, takes four times the work of 1 MB", () => {
  // Work: how many pieces of 1 KiB are pushed; each is looked at once or this would not end in its time.
  for (const line of ["", "\ndata: "]) {
    for (const size of [1024, 4096]) {
      const reader = new EventReader();
      const piece = bytes(`${"x".repeat(1000)}${line}`);
      reader.push(bytes("data: "));
      for (let pushed = 0; pushed < size; pushed++) assert.deepEqual(reader.push(piece), []);
      const [event] = reader.push(bytes("\n\n")) ?? [];
      assert.equal(event?.data.replaceAll("\n", "").length, size * 1000);
    }
  }
});

test("an event without end is given up, and so is everything behind it", () => {
  for (const opening of ["data: ", "data: x\ndata: "]) {
    const reader = new EventReader();
    reader.push(bytes(opening));
    const piece = Buffer.alloc(1024 * 1024, "x");
    let pushed = 0;
    while (reader.push(piece) !== null) pushed += 1;
    assert.equal(pushed, 15);
    assert.equal(reader.push(bytes("\n\ndata: {}\n\n")), null);
    assert.equal(reader.end(), null);
  }
});

test("comments and unknown fields of any length are not kept", () => {
  const reader = new EventReader();
  for (const opening of [": ", "unknown: "]) {
    assert.deepEqual(reader.push(bytes(opening)), []);
    for (let pushed = 0; pushed < 40; pushed++)
      assert.deepEqual(reader.push(Buffer.alloc(1024 * 1024, "x")), []);
    assert.deepEqual(reader.push(bytes("\ndata: y\n\n")), [{ event: null, data: "y" }]);
  }
});

test("a comment is noticed once, however it is split, and a colon inside a line starts no comment", () => {
  const reader = new EventReader();
  const taken = (text: string) => {
    reader.push(bytes(text));
    return reader.takeComment();
  };
  assert.deepEqual([": pi", "ng\n\n", ":\n", "data", ": {", "}\n", "x\n:y"].map(taken), [
    true,
    false,
    true,
    false,
    false,
    false,
    true,
  ]);
  assert.equal(reader.takeComment(), false);
});

test("an event of lines without end is given up, though its data has no length", () => {
  const reader = new EventReader();
  const piece = bytes("data:\n".repeat(1_000));
  let pushed = 0;
  while (pushed < 1_000 && reader.push(piece) !== null) pushed += 1;
  assert.equal(pushed, 16);
  assert.equal(reader.push(bytes("\n\ndata: {}\n\n")), null);
});

test("lines that complete events are not counted, however many they are", () => {
  const reader = new EventReader();
  for (let pushed = 0; pushed < 100; pushed++)
    assert.equal(reader.push(bytes("data: x\n\n".repeat(1_000)))?.length, 1_000);
});
