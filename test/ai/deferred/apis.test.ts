// Deferred completions of the other APIs: the answer and the errors are in the words of the API that was asked, and each is
// served once in effect, whichever process dies.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { ground, type Harness, harness, someEngines } from "../../harness.ts";
import { says } from "../../scenarios/receiver.ts";
import { callsOf, makePool } from "../pooled.ts";
import { deferTo, events, hour, lookUp, messages, second, start } from "./story.ts";

const question = { model: "echo", messages };

for (const engine of someEngines(import.meta.filename))
  describe(`on ${engine}`, () => {
    test("a message and a response are answered in their own shape, under the id of the completion", async () => {
      const own = await ground(engine);
      const { it, pool } = await start({ ground: own });
      try {
        const accepted = await deferTo(it, "messages", question);
        assert.equal(accepted.statusCode, 202, accepted.body);
        assert.match(String(accepted.headers["request-id"]), /^req_/);
        const { id, object, status } = accepted.json();
        assert.deepEqual([object, status], ["deferred_completion", "queued"]);
        const asked = await deferTo(it, "responses", { model: "echo", input: "Write the report." });
        assert.equal(asked.statusCode, 202, asked.body);
        await it.settle();
        const { response: message } = await lookUp(it, id);
        assert.deepEqual(
          [message.type, message.role, message.model, message.content[0].text],
          ["message", "assistant", "echo", "Write the report."],
        );
        const { response } = await lookUp(it, asked.json().id);
        assert.deepEqual(
          [response.object, response.status, response.background, response.store],
          ["response", "completed", true, false],
        );
        assert.equal(response.id, asked.json().id.replace("cmp_", "resp_"));
        assert.equal(response.output[0].content[0].text, "Write the report.");
        await it.advance(2 * second);
        assert.deepEqual((await callsOf(it, pool)).map(({ api }) => api).sort(), ["messages", "responses"]);
      } finally {
        await it.close();
        await own.remove();
      }
    });

    for (const dieAt of ["deferred.before", "deferred.after"])
      test(`a message whose process dies at ${dieAt} ends once`, async () => {
        const own = await ground(engine);
        const clock = movableClock();
        const settings = { heartbeatMs: 5_000, takeoverMs: 45_000, pollMs: 60_000 };
        const shared = { ground: own, clock, settings };
        const { it: one } = await start({ ...shared, dieAt });
        let two: Harness | null = null;
        try {
          const { id } = (await deferTo(one, "messages", question)).json();
          await one.settle();
          assert.ok(one.dead());
          await one.kill();
          two = await harness({ ...shared, respond: () => says(200) });
          await two.advance(120_000);
          const done = await lookUp(two, id);
          assert.deepEqual([done.status, done.attempts, done.response.type], ["completed", 2, "message"]);
          assert.equal(events(one, two).length, 1);
        } finally {
          await two?.close();
          await one.close();
          await own.remove();
        }
      });
  });

test("what the caller has to change fails in the words of the API that was asked", async () => {
  const { it, accountId } = await start();
  try {
    await makePool(it, { strict_models: true }, accountId);
    const message = (await deferTo(it, "messages", { ...question, model: "no-such-model" })).json();
    const response = (await deferTo(it, "responses", { model: "no-such-model", input: "Hi" })).json();
    await it.settle();
    const [one, two] = [await lookUp(it, message.id), await lookUp(it, response.id)];
    assert.deepEqual([one.status, one.error.type], ["failed", "not_found_error"]);
    assert.deepEqual(Object.keys(one.error), ["type", "message"]);
    assert.deepEqual([two.status, two.error.code], ["failed", "model_not_found"]);
  } finally {
    await it.close();
  }
});

test("an outage that outlasts the completion fails in the words of its API", async () => {
  const { it } = await start();
  try {
    const { id } = (await deferTo(it, "messages", { ...question, model: "failing" })).json();
    await it.advance(25 * hour);
    const failed = await lookUp(it, id);
    assert.equal(failed.status, "failed");
    assert.deepEqual(Object.keys(failed.error), ["type", "message"]);
    assert.equal(events(it).length, 1);
  } finally {
    await it.close();
  }
});

test("a stream, a wrong header and a time beyond a year are refused in the shape of the API", async () => {
  const { it } = await start();
  try {
    for (const [more, headers] of [
      [{ stream: true }, {}],
      [{}, { "x-trunkline-deliver": "sms" }],
      [{}, { "x-trunkline-schedule-at": "2027-01-03 00:00:00" }],
    ] as [object, Record<string, string>][]) {
      const message = await deferTo(it, "messages", { ...question, ...more }, headers);
      assert.deepEqual([message.statusCode, message.json().type], [400, "error"], message.body);
      assert.equal(message.json().error.type, "invalid_request_error");
      const response = await deferTo(it, "responses", { input: "Hi", ...more }, headers);
      assert.deepEqual([response.statusCode, response.json().error.code], [400, "invalid_value"]);
    }
    // Counting tokens and the APIs that cannot be deferred pass the header over, as before.
    const counted = await deferTo(it, "messages/count_tokens", question);
    assert.equal(counted.statusCode, 200, counted.body);
  } finally {
    await it.close();
  }
});

test("two processes on one PostgreSQL serve each once", async () => {
  const own = await ground("postgres");
  const clock = movableClock();
  const shared = { ground: own, clock };
  const { it: one, pool } = await start(shared);
  const two = await harness({ ...shared, respond: () => says(200) });
  try {
    const ids: string[] = [];
    for (let at = 0; at < 6; at++) {
      const from = at % 2 === 0 ? one : two;
      const reply = await deferTo(from, "messages", question);
      assert.equal(reply.statusCode, 202, reply.body);
      ids.push(reply.json().id);
    }
    await one.advance(120_000);
    for (const id of ids) {
      const done = await lookUp(two, id);
      assert.deepEqual([done.status, done.attempts], ["completed", 1]);
    }
    assert.equal((await callsOf(one, pool)).length, ids.length);
    assert.equal(new Set(events(one, two).map(({ data }) => (data as { id: string }).id)).size, ids.length);
    assert.equal(events(one, two).length, ids.length);
  } finally {
    await two.close();
    await one.close();
    await own.remove();
  }
});
