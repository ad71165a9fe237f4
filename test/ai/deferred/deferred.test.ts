// Storing and reading deferred completions: nothing of them is readable in the database, and too many are refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deferCompletion, findDeferred } from "#ai/deferred/deferred.ts";
import { holdPending } from "#store/maintenance/restore-hold.ts";
import { findDeferred as findRow } from "#store/pools/deferred-completions.ts";
import { keyText } from "../pooled.ts";
import { start } from "./story.ts";

/** A stored completion, due in an hour, and the key that asked. */
async function stored() {
  const { it } = await start();
  const { core } = it.system;
  const opened = (await core.ai.authenticate(keyText))!;
  const text = '{"messages":[{"role":"user","content":"A secret plan."}]}';
  const request = { path: "/api/ai/v1/chat/completions", headers: {}, text };
  const made = await deferCompletion(core, opened, request, it.clock.now() + 3_600_000);
  assert.ok(made.kind === "stored");
  return { it, core, opened, request, row: made.row };
}

test("request and answer are sealed, and what was asked goes with the end", async () => {
  const { it, core, opened, row } = await stored();
  try {
    const find = async () => (await core.database.run(findRow, { id: row.id, keyId: opened.key.id }))!;
    const waiting = await find();
    assert.match(waiting.request ?? "", /^v1\./);
    assert.equal(JSON.stringify(waiting).includes("secret"), false);
    await it.advance(3_600_000);
    const ended = await find();
    assert.equal(ended.request, null);
    assert.match(ended.result ?? "", /^v1\./);
    const shown = await findDeferred(core, opened, row.id);
    assert.ok(shown?.result && "response" in shown.result);
    assert.match(shown.result.response, /A secret plan\./);
  } finally {
    await it.close();
  }
});

test("what waited in a copy fails when it is restored, and says why", async () => {
  const { it, core, opened, row } = await stored();
  try {
    while (!(await core.database.run(holdPending, { at: it.clock.now(), limit: 10 })));
    const found = await findDeferred(core, opened, row.id);
    assert.equal(found?.row.status, "failed");
    assert.ok(found.result && "error" in found.result);
    assert.equal(found.result.error.code, "restored");
    assert.equal(found.result.path, "/api/ai/v1/chat/completions");
  } finally {
    await it.close();
  }
});
