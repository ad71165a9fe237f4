// Forms in memory, written by the platform's own FormData.

import assert from "node:assert/strict";
import test from "node:test";
import { readFormParts } from "#http/body/form.ts";

async function encoded(form: FormData): Promise<{ bytes: Buffer; type: string }> {
  const response = new Response(form);
  const type = response.headers.get("content-type") ?? "";
  return { bytes: Buffer.from(await response.arrayBuffer()), type };
}

test("fields and files come out in order, with their bytes", async () => {
  const form = new FormData();
  const sound = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31) & 255);
  form.append("model", "whisper-1");
  form.append("file", new Blob([sound]), 'a "quoted"\r\nname.mp3');
  form.append("timestamp_granularities[]", "word");
  form.append("timestamp_granularities[]", "segment");
  const { bytes, type } = await encoded(form);
  const read = readFormParts(bytes, type);
  assert.ok(read);
  assert.deepEqual(
    read.parts.map(({ name, filename }) => [name, filename]),
    [
      ["model", null],
      ["file", 'a "quoted"\r\nname.mp3'],
      ["timestamp_granularities[]", null],
      ["timestamp_granularities[]", null],
    ],
  );
  assert.deepEqual(Uint8Array.from(read.parts[1]!.bytes), sound);
  assert.equal(Buffer.from(read.parts[3]!.bytes).toString(), "segment");
  assert.ok(type.includes(read.boundary));
});

test("a form that is cut off, has no boundary or a hundred fields too many is refused", async () => {
  const form = new FormData();
  for (let at = 0; at < 101; at += 1) form.append(`f${at}`, "x");
  const { bytes, type } = await encoded(form);
  assert.equal(readFormParts(bytes, type), null);
  form.delete("f100");
  const fits = await encoded(form);
  assert.ok(readFormParts(fits.bytes, fits.type));
  assert.equal(readFormParts(fits.bytes.subarray(0, -5), fits.type), null);
  assert.equal(readFormParts(fits.bytes, "multipart/form-data"), null);
});
