// Members of kind vertex, from the client's request to Google's methods and back.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { openaiPeer, type Peer, replies } from "../../openai-peer.ts";
import { type Pooled, pooled } from "../../pooled.ts";
import { askedOf, bearer, grants, vertexOf } from "../../vertex-peer.ts";

const models = ["text-embedding-005", "gemini-embedding-001"];
const place = "/v1/projects/example-project/locations/europe-west4/publishers";

let google: Peer;
let it: Pooled;
before(async () => {
  google = await openaiPeer();
  it = await pooled({ members: [vertexOf(google, { embedding_models: models })] });
});
after(async () => {
  await it?.close();
  await google?.close();
});

const vectors = (...list: number[][]) =>
  grants(
    replies(200, {
      predictions: list.map((values) => ({
        embeddings: { values, statistics: { truncated: false, token_count: 3 } },
      })),
    }),
  );
const last = () => askedOf(google).at(-1)!;

test("embeddings for OpenAI's client: by :predict, with the granted token, counted", async () => {
  google.answer(vectors([0.5, -0.25], [1, 0]));
  const client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
  const { data, usage } = await client.embeddings.create({ model: models[0]!, input: ["one", "two"] });
  assert.deepEqual(
    data.map(({ embedding }) => embedding),
    [
      [0.5, -0.25],
      [1, 0],
    ],
  );
  assert.deepEqual([usage.prompt_tokens, usage.total_tokens], [6, 6]);
  const { path, headers, body } = last();
  assert.equal(path, `${place}/google/models/${models[0]}:predict`);
  assert.equal(headers.authorization, bearer);
  assert.deepEqual(body, { instances: [{ content: "one" }, { content: "two" }] });
});

test("embeddings for Google's client: one text, many, and a model that takes one at a time", async () => {
  google.answer(vectors([0.25, -1e-9]));
  const client = new GoogleGenAI({
    apiKey: it.key,
    httpOptions: { baseUrl: it.baseUrl.replace(/\/v1$/, "") },
  });
  for (const model of models) {
    const config = { outputDimensionality: 2 };
    const { embeddings } = await client.models.embedContent({ model, contents: "one", config });
    assert.deepEqual(
      embeddings?.map(({ values }) => values),
      [[0.25, -1e-9]],
    );
    assert.equal(last().path, `${place}/google/models/${model}:predict`);
    assert.deepEqual(last().body, {
      instances: [{ content: "one" }],
      parameters: { outputDimensionality: 2 },
    });
  }
  google.answer(vectors([1], [2]));
  const { embeddings = [] } = await client.models.embedContent({ model: models[0]!, contents: ["a", "b"] });
  assert.deepEqual(
    embeddings.map(({ values }) => values),
    [[1], [2]],
  );
  const before = askedOf(google).length;
  await assert.rejects(client.models.embedContent({ model: models[1]!, contents: ["a", "b"] }), {
    status: 400,
    message: /at most 1 text/,
  });
  assert.equal(askedOf(google).length, before);
});
