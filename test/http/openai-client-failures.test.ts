// The official `openai` client, unmodified, where a provider does not answer as OpenAI would: what it repeats, and
// what it can read.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { fails, openaiPeer, type Peer } from "./openai-peer.ts";
import { memberOf, type Pooled, pooled } from "./pooled.ts";

let peer: Peer;
let it: Pooled;
let client: OpenAI;
before(async () => {
  peer = await openaiPeer();
  it = await pooled({ members: [memberOf(peer, { models: ["gpt-4o-mini"] })] });
  client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 2 });
});
after(async () => {
  await it?.close();
  await peer?.close();
});
const messages = [{ role: "user" as const, content: "Hello!" }];
const model = "gpt-4o-mini";

test("a stream whose events have several lines reads as any other", async () => {
  peer.answer((request) => {
    const { response, body } = request;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [content, finish_reason] of [
      ["Hello", null],
      [" there", "stop"],
    ]) {
      const choices = [{ index: 0, delta: { content }, finish_reason }];
      const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: body.model, choices };
      response.write(`${JSON.stringify(chunk, null, 2).replace(/^/gm, "data: ")}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  let text = "";
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
    text += chunk.choices[0]?.delta.content ?? "";
  assert.equal(text, "Hello there");
});

test("embeddings of a pool without embedding models: the client asks once, and gets the reason", async () => {
  const before = peer.asked.length;
  await assert.rejects(client.embeddings.create({ model, input: "x" }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.equal(error.code, "no_embeddings");
    return true;
  });
  assert.equal(peer.asked.length, before);
});

test("keys that the provider refuses: the client asks once, though it is set to repeat", async () => {
  peer.answer(fails(401, { type: "invalid_request_error", code: "invalid_api_key" }));
  const before = peer.asked.length;
  await assert.rejects(client.chat.completions.create({ model, messages }), (error) => {
    assert.ok(error instanceof OpenAI.InternalServerError);
    assert.equal(error.code, "provider_denied");
    return true;
  });
  assert.equal(peer.asked.length - before, 1);
});
