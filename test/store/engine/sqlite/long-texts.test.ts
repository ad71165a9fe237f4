// Long texts between the threads: as bytes, and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TextPlace } from "#store/database.ts";
import { GatheredTexts, textsOf } from "#store/engine/sqlite/long-texts.ts";

test("long texts have places among the bytes, short ones stay texts", () => {
  const gathered = new GatheredTexts();
  const long = ["\u{1f600}ä".repeat(700), "x".repeat(2_000)];
  const [short, ...places] = ["short", ...long].map((text) => gathered.put(text));
  assert.equal(short, "short");
  const bytes = gathered.bytes();
  assert.equal(bytes?.length, Buffer.byteLength(long.join("")));
  const texts = textsOf(bytes);
  assert.deepEqual(
    places.map((place) => texts.get(place as TextPlace)),
    long,
  );
});

test("without a long text there are no bytes", () => {
  const gathered = new GatheredTexts();
  gathered.put("x");
  assert.equal(gathered.bytes(), null);
});
