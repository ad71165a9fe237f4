// Deferring, reading and cancelling completions: replies, refusals, and who finds them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { at, defer, events, lookUp, messages, start } from "../../../ai/deferred/story.ts";
import { ask, keyText, makePool } from "../../../ai/pooled.ts";
import { inject } from "../../../inject.ts";

test("the reply comes at once; the answer is stored, and its end is reported once", async () => {
  const { it } = await start();
  try {
    const reply = await defer(it);
    assert.equal(reply.statusCode, 202, reply.body);
    const { id, ...accepted } = reply.json();
    assert.match(id, /^cmp_/);
    assert.deepEqual(accepted, {
      object: "deferred_completion",
      status: "queued",
      attempts: 0,
      created_at: "2026-01-01T00:00:00.000Z",
      scheduled_for: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-02T00:00:00.000Z",
      finished_at: null,
      error: null,
      response: null,
    });
    await it.settle();
    const done = await lookUp(it, id);
    assert.deepEqual([done.status, done.attempts, done.error], ["completed", 1, null]);
    assert.equal(done.response.choices[0].message.content, "Write the report.");
    assert.equal(done.response.service_pool.model, "echo");
    const data = { id, object: "deferred_completion", status: "completed", attempts: 1, error: null };
    assert.deepEqual(
      events(it).map(({ type, data: event }) => ({ type, data: event })),
      [{ type: "completion.done", data }],
    );
    // What has ended is not cancelled, and belongs to this account alone.
    assert.deepEqual([(await at(it, "POST", `${id}/cancel`)).statusCode], [409]);
    assert.equal((await at(it, "GET", "cmp_none")).json().error.code, "completion_not_found");
  } finally {
    await it.close();
  }
});

test("another key of the same pool does not find it", async () => {
  const { it, accountId } = await start();
  try {
    const { id } = (await defer(it)).json();
    const other = "tlp_ffffffffffffffffffffffffffffffff";
    await makePool(it, { keys: [{ name: "other", key: other }] }, accountId);
    assert.equal((await ask(it, {}, other)).statusCode, 200);
    for (const [method, path] of [
      ["GET", id],
      ["POST", `${id}/cancel`],
    ] as const)
      assert.equal((await at(it, method, path, other)).statusCode, 404);
  } finally {
    await it.close();
  }
});

for (const [what, headers, stream, param] of [
  ["another way of delivery", { "x-trunkline-deliver": "sms" }, false, "X-Trunkline-Deliver"],
  ["a stream", {}, true, "stream"],
  [
    "a time that is no time",
    { "x-trunkline-schedule-at": "2026-02-30 00:00:00" },
    false,
    "X-Trunkline-Schedule-At",
  ],
] as const)
  test(`refused: ${what}`, async () => {
    const { it } = await start();
    try {
      const reply = await inject(it.system.app, {
        method: "POST",
        url: "/api/ai/v1/chat/completions",
        headers: { authorization: `Bearer ${keyText}`, "x-trunkline-deliver": "webhook", ...headers },
        payload: { messages, stream },
      });
      assert.equal(reply.statusCode, 400);
      assert.equal(reply.json().error.param, param);
    } finally {
      await it.close();
    }
  });
