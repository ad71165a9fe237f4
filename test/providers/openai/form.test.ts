// Forms for vendors, read back by the platform's own parser.

import assert from "node:assert/strict";
import test from "node:test";
import { encodeForm } from "#providers/openai/form.ts";

test("the platform reads back what was written, with the member's model in place of the caller's", async () => {
  const sound = Buffer.from([0, 13, 10, 45, 45, 255]);
  const parts = [
    { name: "file", filename: 'a "b"\r\nc.mp3', bytes: sound },
    { name: "model", filename: null, bytes: Buffer.from("theirs") },
    { name: "language", filename: null, bytes: Buffer.from("dé") },
  ];
  const bytes = encodeForm({ boundary: "X-1", parts }, "whisper-1");
  const type = 'multipart/form-data; boundary="X-1"';
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  assert.deepEqual([...form.keys()], ["model", "file", "language"]);
  assert.equal(form.get("model"), "whisper-1");
  assert.equal(form.get("language"), "dé");
  const file = form.get("file");
  assert.ok(file instanceof File);
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), sound);
});
