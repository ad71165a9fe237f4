// Acceptance counts what it accepts and what it refuses, and a replay as neither.

import assert from "node:assert/strict";
import test from "node:test";
import { createAcceptance } from "#messaging/accept/acceptance.ts";
import { createMetrics } from "#runtime/metrics.ts";
import { type Harness, harness } from "../../harness.ts";

const counts = async (it: Harness) =>
  (await it.system.core.metrics.text())
    .split("\n")
    .filter((line) => /^trunkline_(messages_accepted|sends_refused)_total/.test(line));

test("accepted messages, refusals by reason, and no count for a replay", async () => {
  const it = await harness({ started: false });
  try {
    await it.account();
    await it.gateway({ identifier: "main" });
    const contact = { number: "+4915123456789", message: "Hello" };
    const key = { "idempotency-key": "one" };
    assert.equal((await it.send([contact, contact], key)).statusCode, 200);
    assert.equal((await it.send([contact, contact], key)).headers["idempotent-replayed"], "true");
    assert.equal((await it.send([{ ...contact, number: "x" }])).statusCode, 422);
    assert.deepEqual(await counts(it), [
      'trunkline_messages_accepted_total{channel="sms"} 2',
      'trunkline_sends_refused_total{channel="sms",why="invalid"} 1',
    ]);
  } finally {
    await it.close();
  }
});

test("an upload belongs to its account's limits", async () => {
  const it = await harness({ started: false });
  try {
    const { core } = it.system;
    const acceptance = createAcceptance({ ...core, metrics: createMetrics(async () => []) });
    const account = await core.authenticator.authenticate((await it.account()).key);
    const upload = acceptance.openUpload(account!);
    assert.deepEqual(upload.files(), []);
    await upload.discard();
  } finally {
    await it.close();
  }
});
