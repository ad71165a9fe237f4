// Dates against the runtime's calendar, and each field's predicate against its schema.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  gatewayIdentifier,
  isWallTime,
  number,
  scheduleAt,
  shortMessage,
} from "#contract/messages/fields.ts";

const two = (value: number) => String(value).padStart(2, "0");

function exists(year: number, month: number, day: number): boolean {
  try {
    Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}

test("takes every day that exists and no other", () => {
  for (const year of [0, 1, 4, 100, 400, 1900, 1970, 2000, 2023, 2024, 2026, 2100, 2400, 9999]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)} 12:00:00`;
        assert.equal(isWallTime(text), month > 0 && day > 0 && exists(year, month, day), text);
      }
    }
  }
});

test("takes every time of day and no other", () => {
  for (let hour = 0; hour <= 25; hour++) {
    for (const minute of [0, 59, 60, 99]) {
      for (const second of [0, 59, 60, 61]) {
        const text = `2026-03-01 ${two(hour)}:${two(minute)}:${two(second)}`;
        assert.equal(isWallTime(text), hour < 24 && minute < 60 && second < 60, text);
      }
    }
  }
});

const otherForms = [
  "2026-1-5 9:00:00",
  "2026-01-05T09:00:00",
  "2026-01-05 09:00:00Z",
  "2026-01-05 09:00",
  "2026-01-05",
  "20260105090000",
  " 2026-01-05 09:00:00",
  "2026-01-05 09:00:00\n",
  "+2026-01-05 09:00:00",
  "12026-01-05 09:00:00",
  "-001-01-05 09:00:00",
  "２０２６-01-05 09:00:00",
  "2026/01/05 09:00:00",
  "2026-01-05  09:00:00",
  "0000-00-00 00:00:00",
];
for (const text of otherForms) {
  test(`does not take ${JSON.stringify(text)}`, () => assert.equal(isWallTime(text), false));
}

test("a field's predicate and its schema agree on every text", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\0", "\ud800", "a", "😀") }),
    fc.nat(70_000).map((length) => "x".repeat(length)),
    fc.nat(300).map((length) => "😀".repeat(length)),
    fc.constantFrom("2026-02-28 00:00:00", "2026-02-29 00:00:00", ...otherForms),
  );
  fc.assert(
    fc.property(texts, (text) => {
      for (const field of [number, shortMessage, gatewayIdentifier, scheduleAt]) {
        assert.equal(field.fits(text), field.schema.safeParse(text).success);
      }
    }),
  );
});
