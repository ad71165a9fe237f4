// POST /api/ai/v1/embeddings: by the members that have them, through the same pool as completions.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { embeddingsReply } from "#contract/ai/chat-shapes.ts";
import { fails, openaiPeer, type Peer, replies } from "../../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../../pooled.ts";

let peer: Peer;
let it: Pooled;
before(async () => {
  peer = await openaiPeer(fails(503));
  it = await pooled({
    members: [
      memberOf(peer, { embedding_models: ["text-embedding-3-small"] }),
      {
        name: "box",
        kind: "sandbox",
        models: ["echo"],
        embedding_models: ["text-embedding-3-small"],
        priority: 2,
      },
    ],
  });
});
after(async () => {
  await it?.close();
  await peer?.close();
});

test("a list of texts, by the next member with the same model when the first fails", async () => {
  const { status, json, headers } = await it.ask("/embeddings", {
    body: { input: ["one", "two"], dimensions: 4 },
  });
  assert.equal(status, 200);
  const reply = embeddingsReply.parse(json);
  assert.deepEqual(
    reply.data.map(({ index, embedding }) => [index, (embedding as number[]).length]),
    [
      [0, 4],
      [1, 4],
    ],
  );
  assert.equal(reply.model, "text-embedding-3-small");
  assert.equal(reply.service_pool.provider, "box");
  assert.equal(reply.service_pool.attempts, 2);
  assert.equal(headers.get("x-service-pool-provider"), "box");
  assert.equal(peer.asked.at(-1)?.path, "/v1/embeddings");
  assert.equal(peer.asked.at(-1)?.body.model, "text-embedding-3-small");
});

test("Gemini's vectors for OpenAI's own client, which asks for them packed", async () => {
  const vectors = [
    [0.5, -0.25],
    [1, 0],
  ];
  const google = await openaiPeer(replies(200, { embeddings: vectors.map((values) => ({ values })) }));
  const settings = { base_url: google.url.replace("/v1", ""), api_key: "AIza-0123456789abcdef" };
  const apiKey = await it.pool({
    name: "vectors",
    members: [
      {
        name: "google",
        kind: "gemini",
        models: ["gemini-2.5-flash"],
        embedding_models: ["gemini-embedding-001"],
        settings,
        priority: 2,
      },
    ],
  });
  try {
    const client = new OpenAI({ baseURL: it.baseUrl, apiKey, maxRetries: 0 });
    const { data, model } = await client.embeddings.create({ model: "vectors", input: ["one", "two"] });
    assert.deepEqual(
      data.map(({ embedding }) => [...embedding]),
      vectors,
    );
    assert.equal(model, "gemini-embedding-001");
    assert.equal(google.asked.at(-1)?.path, "/v1beta/models/gemini-embedding-001:batchEmbedContents");
  } finally {
    await google.close();
  }
});

test("faults of the request are reported in OpenAI's shape", async () => {
  for (const [body, param] of [
    ["{", null],
    ["{}", "input"],
    ['{"input":"x","model":7}', "model"],
  ] as const) {
    const { status, json } = await it.ask("/embeddings", { body });
    assert.equal(status, 400);
    assert.equal((json as unknown as { error: { param: unknown } }).error.param, param);
  }
});
