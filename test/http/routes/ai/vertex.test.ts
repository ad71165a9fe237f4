// Members of kind vertex, from the client's request to Google's methods and back.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { speaksAnthropic } from "../../anthropic-peer.ts";
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

const claude = "claude-sonnet-4-5@20250929";
/** A Claude that the peer plays: its paths end with the method, and bodies have no model. */
const speaksClaude = grants((request) =>
  speaksAnthropic({
    ...request,
    path: request.path.replace("count-tokens", "count_tokens"),
    body: { ...request.body, model: "claude-sonnet-4-5-20250929" },
  }),
);
const anthropicClient = () =>
  new Anthropic({ baseURL: it.baseUrl.replace(/\/v1$/, ""), apiKey: it.key, maxRetries: 0 });
const messages = [{ role: "user" as const, content: "Hello!" }];

test("messages for Anthropic's client go to Claude as they came, and its stream comes back whole", async () => {
  await it.pool({ name: "claude", members: [vertexOf(google, { models: [claude] })] });
  google.answer(speaksClaude);
  const client = anthropicClient();
  const metadata = { user_id: "u1" };
  const system = [
    { type: "text" as const, text: "Be brief.", cache_control: { type: "ephemeral" as const } },
  ];
  const { data, response } = await client.messages
    .create({ model: claude, max_tokens: 100, system, messages, metadata, a_new_field: { x: 1 } } as never, {
      headers: { "anthropic-beta": "one-2025-01-01" },
    })
    .withResponse();
  assert.deepEqual((data as Anthropic.Message).content, [{ type: "text", text: "Hello from Claude." }]);
  assert.equal(response.headers.get("x-service-pool-adapted"), null);
  assert.equal(last().path, `${place}/anthropic/models/${claude}:rawPredict`);
  assert.deepEqual(last().body, {
    max_tokens: 100,
    system,
    messages,
    metadata,
    a_new_field: { x: 1 },
    anthropic_version: "vertex-2023-10-16",
  });
  assert.equal(last().headers.authorization, bearer);
  assert.equal(last().headers["anthropic-beta"], "one-2025-01-01");
  assert.equal(last().headers["x-api-key"], undefined);

  const final = await client.messages.stream({ model: claude, max_tokens: 100, messages }).finalMessage();
  assert.equal(last().path, `${place}/anthropic/models/${claude}:streamRawPredict`);
  assert.equal(last().body.stream, true);
  assert.deepEqual(
    final.content.map((block) => ({ ...block })),
    [
      { type: "thinking", thinking: "A file is wanted.", signature: "c2lnbmVk/+0=" },
      { type: "text", text: "I will create it." },
      { type: "tool_use", id: "toolu_hello_1", name: "Bash", input: { command: "ls" } },
    ],
  );
  const turn: Anthropic.MessageParam[] = [
    ...messages,
    { role: "assistant", content: final.content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_hello_1", content: "a.txt" }] },
  ];
  await client.messages.create({ model: claude, max_tokens: 100, messages: turn });
  assert.deepEqual(last().body.messages, turn);
});

test("Claude's tokens are counted by Google's endpoint for that", async () => {
  const { input_tokens: tokens } = await anthropicClient().messages.countTokens({ model: claude, messages });
  assert.equal(tokens, 42);
  assert.equal(last().path, `${place}/anthropic/models/count-tokens:rawPredict`);
  assert.deepEqual(last().body, { model: claude, messages, anthropic_version: "vertex-2023-10-16" });
});

test("Claude's refusals are the client's in Anthropic's words", async () => {
  const message = "messages: at least one message is required";
  google.answer(grants(replies(400, { type: "error", error: { type: "invalid_request_error", message } })));
  await assert.rejects(anthropicClient().messages.create({ model: claude, max_tokens: 1, messages }), {
    status: 400,
    message: /at least one message is required/,
  });
});

test("a link is the next member's; chat completions are translated as before", async () => {
  const direct = await openaiPeer(speaksAnthropic);
  try {
    const own = {
      name: "direct",
      kind: "anthropic",
      models: [claude],
      priority: 2,
      settings: { base_url: direct.url.replace(/\/v1$/, ""), api_key: "sk-ant-api03-0123456789abcdef" },
    };
    await it.pool({ name: "both", members: [vertexOf(google, { models: [claude] }), own] });
    google.answer(speaksClaude);
    const before = askedOf(google).length;
    const source = { type: "url" as const, url: "https://x.test/a.png" };
    await anthropicClient().messages.create({
      model: claude,
      max_tokens: 9,
      messages: [{ role: "user", content: [{ type: "image", source }] }],
    });
    assert.equal(direct.asked.length, 1);
    assert.equal(askedOf(google).length, before);
    const client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
    const { choices } = await client.chat.completions.create({ model: claude, messages });
    assert.equal(choices[0]?.message.content, "Hello from Claude.");
    assert.equal(last().path, `${place}/anthropic/models/${claude}:rawPredict`);
  } finally {
    await direct.close();
  }
});

test("Gemini of the same member gets messages translated", async () => {
  await it.pool({ name: "gemini", members: [vertexOf(google, { models: ["gemini-2.5-flash"] })] });
  google.answer(
    grants(
      replies(200, {
        candidates: [
          { content: { role: "model", parts: [{ text: "Hello from Gemini." }] }, finishReason: "STOP" },
        ],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
      }),
    ),
  );
  const { content } = await anthropicClient().messages.create({
    model: "gemini-2.5-flash",
    max_tokens: 9,
    messages,
  });
  assert.deepEqual(content, [{ type: "text", text: "Hello from Gemini." }]);
  assert.equal(last().path, `${place}/google/models/gemini-2.5-flash:generateContent`);
});
