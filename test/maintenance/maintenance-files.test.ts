// The upkeep of files: uploads that no request accepted go after an hour, contents that no message needs go too, and what
// is known of a file stays with its request.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findUnboundFiles, storeChunk } from "#store/email/attachments.ts";
import { readEmailFiles, readFileChunks } from "#store/email/emails.ts";
import { type Harness, harness, someEngines } from "../harness.ts";

const hour = 3_600_000;

const pieces = async (it: Harness, id: string) =>
  (await it.system.database.run(readFileChunks, { id, from: 0, limit: 100 })).length;

async function send(it: Harness, contact: object[]): Promise<{ request: string; file: string }> {
  const body = { contact, attachments: [{ filename: "a.txt", content: "aGVsbG8=" }] };
  const reply = await it.post("/api/email/send", body);
  assert.equal(reply.statusCode, 200, reply.body);
  const request = reply.json().data.request_id;
  const [file] = await it.system.database.run(readEmailFiles, request);
  assert.ok(file);
  return { request, file: file.id };
}

for (const engine of someEngines(import.meta.filename)) {
  test(`files are kept as long as they are needed (${engine})`, async () => {
    const it = await harness({ engine, settings: { maintenanceMs: 60_000 } });
    try {
      await it.account();
      await it.gateway({ identifier: "mail", channel: "email" });
      const mail = { email: "delivered@example.com", subject: "Hello", message: "Hi" };
      const at = it.clock.now();
      const loose = { id: "att_loose", accountId: null, content: "QUJD", at };
      for (let seq = 0; seq < 20; seq++) await it.system.database.run(storeChunk, { ...loose, seq });
      const sent = await send(it, [mail]);
      const waiting = await send(it, [mail, { ...mail, schedule_at: "2100-01-01 00:00:00" }]);

      await it.advance(hour - 120_000);
      const findLoose = () => it.system.database.run(findUnboundFiles, { before: at + hour, limit: 5 });
      assert.deepEqual(await findLoose(), ["att_loose"]);
      await it.advance(2 * hour);
      assert.deepEqual(await findLoose(), []);
      assert.equal(await pieces(it, "att_loose"), 0);
      assert.equal(await pieces(it, sent.file), 0);
      assert.equal((await it.system.database.run(readEmailFiles, sent.request)).length, 1);
      assert.equal(await pieces(it, waiting.file), 1);
    } finally {
      await it.close();
    }
  });
}
