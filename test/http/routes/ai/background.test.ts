// Responses in the background, by OpenAI's own client, unmodified: asked for, polled, cancelled; and who finds them.

import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { at as deferredAt, deferTo, events, hour, second, start } from "../../../ai/deferred/story.ts";
import { keyText, makePool } from "../../../ai/pooled.ts";
import type { Harness } from "../../../harness.ts";
import { inject } from "../../../inject.ts";
import { openaiPeer } from "../../openai-peer.ts";
import { pooled } from "../../pooled.ts";
import { responsesMemberOf, speaksResponses } from "../../responses-peer.ts";

/** OpenAI's client, and the sandbox in a pool that a process serves. */
async function listening() {
  const { it, accountId } = await start();
  const address = await it.system.app.listen({ host: "127.0.0.1", port: 0 });
  const client = new OpenAI({ baseURL: `${address}/api/ai/v1`, apiKey: keyText, maxRetries: 0 });
  return { it, accountId, client };
}

const asked = { model: "echo", input: "Write the report.", background: true } as const;

const responseAt = (it: Harness, method: "GET" | "POST", path: string, key = keyText) =>
  inject(it.system.app, {
    method,
    url: `/api/ai/v1/responses/${path}`,
    headers: { authorization: `Bearer ${key}` },
  });

test("it is queued at once, and polled until it is completed", async () => {
  const { it, client } = await listening();
  try {
    const { data: queued, response } = await client.responses
      .create({ ...asked, metadata: { job: "7" } })
      .withResponse();
    assert.equal(response.status, 200);
    assert.match(queued.id, /^resp_/);
    assert.deepEqual(
      [queued.status, queued.background, queued.output, queued.model],
      ["queued", true, [], "echo"],
    );
    assert.deepEqual(queued.metadata, { job: "7" });
    await it.settle();
    const done = await client.responses.retrieve(queued.id);
    assert.deepEqual(
      [done.id, done.status, done.background, done.output_text, done.error],
      [queued.id, "completed", true, "Write the report.", null],
    );
    assert.deepEqual(done.metadata, { job: "7" });
    // It is a deferred completion, and its end is an event as that of any.
    const id = queued.id.replace("resp_", "cmp_");
    assert.equal((await deferredAt(it, "GET", id)).json().status, "completed");
    assert.deepEqual(
      events(it).map(({ data }) => (data as { id: string }).id),
      [id],
    );
    // What has ended is answered as it is.
    assert.deepEqual((await client.responses.cancel(queued.id)).status, "completed");
  } finally {
    await it.close();
  }
});

test("one that waits is cancelled, twice with the same answer", async () => {
  const { it, client } = await listening();
  try {
    const { id } = await client.responses.create({ ...asked, model: "failing" });
    await it.settle();
    assert.equal((await client.responses.retrieve(id)).status, "queued");
    for (let turn = 0; turn < 2; turn++) {
      const cancelled = await client.responses.cancel(id);
      assert.deepEqual([cancelled.id, cancelled.status, cancelled.output], [id, "cancelled", []]);
    }
    await it.advance(hour);
    assert.equal((await client.responses.retrieve(id)).status, "cancelled");
    assert.equal(events(it).length, 1);
  } finally {
    await it.close();
  }
});

test("one that fails says why in OpenAI's words", async () => {
  const { it, accountId, client } = await listening();
  try {
    await makePool(it, { strict_models: true }, accountId);
    const { id } = await client.responses.create({ ...asked, model: "no-such-model" });
    await it.settle();
    const failed = await client.responses.retrieve(id);
    assert.deepEqual([failed.status, failed.error?.code], ["failed", "model_not_found"]);
  } finally {
    await it.close();
  }
});

test("a stream is refused, when it is asked for and when it is looked up", async () => {
  const { it, client } = await listening();
  try {
    const refused = await client.responses.create({ ...asked, stream: true }).catch((error) => error);
    assert.ok(refused instanceof OpenAI.BadRequestError);
    assert.equal(refused.param, "stream");
    const { id } = await client.responses.create(asked);
    const streamed = await client.responses.retrieve(id, { stream: true }).catch((error) => error);
    assert.ok(streamed instanceof OpenAI.BadRequestError);
    assert.equal(streamed.param, "stream");
  } finally {
    await it.close();
  }
});

test("another key, of the same pool or of another, neither finds nor cancels it", async () => {
  const { it, accountId, client } = await listening();
  try {
    const { id } = await client.responses.create({ ...asked, model: "failing" });
    const [other, elsewhere] = ["f", "e"].map((letter) => `tlp_${letter.repeat(32)}`) as [string, string];
    await makePool(it, { keys: [{ name: "other", key: other }] }, accountId);
    await makePool(it, { name: "elsewhere", keys: [{ name: "app", key: elsewhere }] }, accountId);
    for (const key of [other, elsewhere])
      for (const [method, path] of [
        ["GET", id],
        ["POST", `${id}/cancel`],
      ] as const) {
        const reply = await responseAt(it, method, path, key);
        assert.deepEqual([reply.statusCode, reply.json().error.code], [404, "completion_not_found"]);
      }
    assert.equal((await client.responses.retrieve(id)).status, "queued");
  } finally {
    await it.close();
  }
});

test("what was asked for in another API is no response, and is not cancelled as one", async () => {
  const { it } = await start();
  try {
    const messages = [{ role: "user", content: "Hi" }];
    // Each waits when it is looked at: the second one is asked for four hours later.
    for (const [path, at] of [
      ["chat/completions", "03:00:00"],
      ["messages", "07:00:00"],
    ] as const) {
      const later = { "x-trunkline-schedule-at": `2026-01-01 ${at}` };
      const { id } = (await deferTo(it, path, { model: "echo", messages }, later)).json();
      const response = id.replace("cmp_", "resp_");
      assert.equal((await responseAt(it, "GET", response)).statusCode, 404);
      assert.equal((await responseAt(it, "POST", `${response}/cancel`)).statusCode, 404);
      assert.equal((await deferredAt(it, "GET", id)).json().status, "queued");
      await it.advance(4 * hour);
      assert.equal((await deferredAt(it, "GET", id)).json().status, "completed");
      assert.equal((await responseAt(it, "GET", response)).statusCode, 404);
    }
    // Nothing is left of what it asked for.
    const { id } = (await deferTo(it, "messages", { model: "failing", max_tokens: 9, messages })).json();
    const cancel = () => deferredAt(it, "POST", `${id}/cancel`);
    assert.equal((await cancel()).json().status, "cancelled");
    const response = id.replace("cmp_", "resp_");
    assert.equal((await responseAt(it, "GET", response)).statusCode, 404);
    assert.equal((await responseAt(it, "POST", `${response}/cancel`)).statusCode, 404);
    assert.equal((await cancel()).statusCode, 409);
    for (const id of ["resp_none", "cmp_none", "none", "resp_"])
      assert.equal((await responseAt(it, "GET", id)).statusCode, 404);
  } finally {
    await it.close();
  }
});

test("a member with the Responses API is asked in the foreground, and its answer has our id", async () => {
  const peer = await openaiPeer(speaksResponses);
  const it = await pooled({ members: [responsesMemberOf(peer)] });
  try {
    const client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
    const { id } = await client.responses.create(
      { model: "gpt-asked", input: "Hello!", background: true },
      { headers: { "session-id": "s1" } },
    );
    const { clock } = it.it;
    let found = await client.responses.retrieve(id);
    for (let turn = 0; found.status !== "completed" && turn < 200; turn++) {
      await clock.advance(second / 10);
      found = await client.responses.retrieve(id);
    }
    assert.deepEqual([found.id, found.status, found.background], [id, "completed", true]);
    assert.equal(found.output_text, "I will create it.");
    const [sent] = peer.asked;
    assert.equal(peer.asked.length, 1);
    assert.equal("background" in sent!.body, false);
    assert.equal(sent!.headers["session-id"], "s1");
  } finally {
    await it.close();
    await peer.close();
  }
});
