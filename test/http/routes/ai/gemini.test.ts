// The official `@google/genai`, unmodified, against a listening server: over OpenAI's, Anthropic's and Google's own API, and
// the sandbox. And what its clients do without it: the key in the URL, the array of pieces, errors in Google's shape.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import { anthropicMessage, claudeOf } from "../../anthropic-peer.ts";
import { begins, delta, fails, finishes, openaiPeer, type Peer, replies, says } from "../../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../../pooled.ts";

let peer: Peer;
let it: Pooled;
let client: GoogleGenAI;
let made = 0;
const model = "gpt-4o-mini";
const clientOf = (apiKey = it.key, apiVersion = "v1beta") =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: it.baseUrl.replace(/\/v1$/, ""), apiVersion } });
const poolWith = async (...members: object[]) => {
  await it.pool({ name: `pool-${made++}`, members: members as never });
  client = clientOf();
};
before(async () => {
  peer = await openaiPeer();
  it = await pooled({ members: [memberOf(peer)] });
});
beforeEach(async () => {
  peer.answer(says("Hello from the provider."));
  await poolWith(memberOf(peer, { embedding_models: ["embed"] }));
});
after(async () => {
  await it?.close();
  await peer?.close();
});
const weather = {
  name: "get_weather",
  description: "The weather.",
  parameters: {
    type: "OBJECT" as never,
    properties: { city: { type: "STRING" as never } },
    required: ["city"],
  },
};

test("an answer, at both versions: text, finish, usage, and the model that was asked for", async () => {
  for (const version of ["v1beta", "v1"]) {
    const answer = await clientOf(it.key, version).models.generateContent({ model, contents: "Hello!" });
    assert.equal(answer.text, "Hello from the provider.");
    assert.equal(answer.candidates?.[0]?.finishReason, "STOP");
    assert.equal(answer.modelVersion, model);
    const { promptTokenCount, candidatesTokenCount, totalTokenCount } = answer.usageMetadata ?? {};
    assert.deepEqual([promptTokenCount, candidatesTokenCount, totalTokenCount], [9, 3, 12]);
  }
});

test("a request is translated with all that it says, and what is Google's alone is named", async () => {
  const { sdkHttpResponse } = await client.models.generateContent({
    model,
    contents: [
      { role: "user", parts: [{ text: "Look" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
    ],
    config: {
      systemInstruction: "Be brief.",
      temperature: 0.5,
      maxOutputTokens: 99,
      stopSequences: ["END"],
      responseMimeType: "application/json",
      responseSchema: {
        type: "OBJECT" as never,
        properties: { a: { type: "STRING" as never, nullable: true } },
      },
      thinkingConfig: { thinkingBudget: 1_024 },
      tools: [{ functionDeclarations: [weather] }, { googleSearch: {} }],
      toolConfig: {
        functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["get_weather"] },
      },
    },
  });
  const { body } = peer.asked.at(-1)!;
  assert.deepEqual(body.messages, [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
  ]);
  const { temperature, max_tokens, stop, reasoning_effort, tool_choice, response_format, tools } = body;
  assert.deepEqual(
    { temperature, max_tokens, stop, reasoning_effort, tool_choice },
    {
      temperature: 0.5,
      max_tokens: 99,
      stop: ["END"],
      reasoning_effort: "low",
      tool_choice: { type: "function", function: { name: "get_weather" } },
    },
  );
  assert.deepEqual(response_format, {
    type: "json_schema",
    json_schema: {
      name: "answer",
      schema: { type: "object", properties: { a: { type: ["string", "null"] } } },
      // Members that speak OpenAI's format refuse an open object as a strict one.
      strict: false,
    },
  });
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  assert.deepEqual(tools, [
    { type: "function", function: { name: "get_weather", description: "The weather.", parameters } },
  ]);
  assert.equal(sdkHttpResponse?.headers?.["x-service-pool-adapted"], "googleSearch");
});

test("a stream of words and a call, whole at the end; the results go back under the call's id", async () => {
  peer.answer((request) => {
    const { model: served } = request.body;
    const write = begins(request);
    write(delta(served, { content: "Let me " }));
    write(delta(served, { content: "look." }));
    const call = (id: string | null, name: string | null, text: string) => ({
      tool_calls: [
        {
          index: 0,
          ...(id === null ? {} : { id, type: "function" }),
          function: { ...(name === null ? {} : { name }), arguments: text },
        },
      ],
    });
    write(delta(served, call("call_1234567", "get_weather", "")));
    write(delta(served, call(null, null, '{"city":"Köln"}')));
    finishes(request, "tool_calls");
  });
  const config = { tools: [{ functionDeclarations: [weather] }] };
  const stream = await client.models.generateContentStream({ model, contents: "Weather?", config });
  let text = "";
  const calls = [];
  const reasons = [];
  for await (const piece of stream) {
    text += piece.text ?? "";
    calls.push(...(piece.functionCalls ?? []));
    reasons.push(...(piece.candidates?.[0]?.finishReason ? [piece.candidates[0].finishReason] : []));
  }
  assert.equal(text, "Let me look.");
  assert.deepEqual(calls, [{ id: "call_1234567", name: "get_weather", args: { city: "Köln" } }]);
  assert.deepEqual(reasons, ["STOP"]);
  peer.answer(says("Sunny."));
  const [call] = calls;
  const answer = await client.models.generateContent({
    model,
    config,
    contents: [
      { role: "user", parts: [{ text: "Weather?" }] },
      { role: "model", parts: [{ functionCall: call! }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: call!.id!, name: "get_weather", response: { sky: "blue" } } }],
      },
    ],
  });
  assert.equal(answer.text, "Sunny.");
  const [, called, result] = peer.asked.at(-1)!.body.messages as Record<string, unknown>[];
  assert.deepEqual(called?.tool_calls, [
    { id: "call_1234567", type: "function", function: { name: "get_weather", arguments: '{"city":"Köln"}' } },
  ]);
  assert.deepEqual(result, { role: "tool", tool_call_id: "call_1234567", content: '{"sky":"blue"}' });
});

test("Claude, the sandbox and Gemini itself answer too", async () => {
  peer.answer(replies(200, anthropicMessage("claude-opus-5-5")));
  await poolWith(claudeOf(peer));
  const claude = await client.models.generateContent({ model: "claude-opus-5-5", contents: "Hello!" });
  assert.equal(claude.text, "Hello from Claude.");
  await poolWith({ name: "sandbox", kind: "sandbox", models: ["echo"] });
  assert.match(
    (await client.models.generateContent({ model: "echo", contents: "Hello!" })).text ?? "",
    /Hello/,
  );
  const parts = [{ text: "From Gemini." }];
  peer.answer(
    replies(200, {
      candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 3, totalTokenCount: 5 },
    }),
  );
  const settings = { base_url: new URL(peer.url).origin, api_key: "AIza-upstream" };
  await poolWith({ name: "gemini", kind: "gemini", models: ["gemini-2.5-flash"], settings });
  const own = await client.models.generateContent({ model: "gemini-2.5-flash", contents: "Hello!" });
  assert.deepEqual([own.text, own.usageMetadata?.totalTokenCount], ["From Gemini.", 5]);
});

test("tokens are counted, and texts are embedded, one or many", async () => {
  assert.ok(((await client.models.countTokens({ model, contents: "Hello there!" })).totalTokens ?? 0) > 0);
  peer.answer(
    replies(200, {
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.25, -1e-9] },
        { object: "embedding", index: 1, embedding: [1, 2] },
      ],
      model: "embed",
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }),
  );
  const config = { outputDimensionality: 2 };
  const { embeddings } = await client.models.embedContent({ model: "embed", contents: ["a", "b"], config });
  assert.deepEqual(
    embeddings?.map(({ values }) => values),
    [
      [0.25, -1e-9],
      [1, 2],
    ],
  );
  const { body } = peer.asked.at(-1)!;
  assert.deepEqual([body.input, body.dimensions, body.model], [["a", "b"], 2, "embed"]);
  const content = { parts: [{ text: "a" }] };
  const one = await post("embed:embedContent", { content }, { "x-goog-api-key": it.key });
  const { embedding, service_pool: served } = (await one.json()) as Record<string, Record<string, unknown>>;
  assert.deepEqual([embedding, served?.model], [{ values: [0.25, -1e-9] }, "embed"]);
});

const post = (target: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${it.baseUrl}beta/models/${target}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const contents = [{ parts: [{ text: "Hello!" }] }];

test("the key may be in the URL of these paths alone; without alt=sse a stream is one JSON array", async () => {
  const stream = await post(`${model}:streamGenerateContent?key=${it.key}`, { contents });
  assert.equal(stream.headers.get("content-type"), "application/json; charset=utf-8");
  const pieces = (await stream.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[];
  const text = pieces.map(({ candidates }) => candidates[0]!.content.parts[0]!.text).join("");
  assert.equal(text, "Hello from the provider.");
  const elsewhere = await fetch(`${it.baseUrl}/models?key=${it.key}`);
  assert.equal(elsewhere.status, 401);
});

test("a model with slashes and colons is asked at both versions, as it is and percent-encoded", async () => {
  const slashed = "meta-llama/llama-4:free";
  await poolWith(memberOf(peer, { models: [slashed] }));
  for (const version of ["v1beta", "v1"]) {
    const answer = await clientOf(it.key, version).models.generateContent({
      model: slashed,
      contents: "Hello!",
    });
    assert.deepEqual([answer.text, answer.modelVersion], ["Hello from the provider.", slashed]);
    assert.equal(peer.asked.at(-1)!.body.model, slashed);
  }
  let text = "";
  for await (const piece of await client.models.generateContentStream({ model: slashed, contents: "Hello!" }))
    text += piece.text ?? "";
  assert.equal(text, "Hello from the provider.");
  const encoded = await post(`${encodeURIComponent(slashed)}:generateContent?key=${it.key}`, { contents });
  assert.equal(encoded.status, 200);
  const refused = await fetch(`${it.baseUrl}/models/a/b:generateContent`, { method: "POST" });
  assert.match(JSON.stringify(await refused.json()), /"UNAUTHENTICATED"/);
});

test("errors have Google's shape, and the client throws them with their status", async () => {
  await assert.rejects(clientOf("tlp_wrong").models.generateContent({ model, contents: "x" }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 401);
    assert.match(error.message, /UNAUTHENTICATED/);
    return /x-goog-api-key/.test(error.message);
  });
  const key = { "x-goog-api-key": it.key };
  for (const [target, body, status, word] of [
    [`${model}:generateContent`, {}, 400, "INVALID_ARGUMENT"],
    [`${model}:generateContent`, { contents: [] }, 400, "INVALID_ARGUMENT"],
    ["embed:embedContent", { content: { parts: [] } }, 400, "INVALID_ARGUMENT"],
    [`${model}:unknown`, { contents }, 404, "NOT_FOUND"],
  ] as const) {
    const answer = await post(target, body, key);
    const { error } = (await answer.json()) as { error: { code: number; message: string; status: string } };
    assert.deepEqual([answer.status, error.code, error.status], [status, status, word], target);
  }
  peer.answer(fails(400, { code: "invalid_value", param: "temperature" }));
  const refused = await post(`${model}:generateContent`, { contents }, key);
  const { error } = (await refused.json()) as { error: object };
  assert.deepEqual(
    [refused.status, error],
    [400, { code: 400, message: "It failed.", status: "INVALID_ARGUMENT" }],
  );
});

test("a stream that breaks off ends with an error, which the client throws", async () => {
  peer.answer((request) => {
    const write = begins(request);
    write(delta(request.body.model, { content: "Let me " }));
    setImmediate(() => request.response.destroy());
  });
  const stream = await client.models.generateContentStream({ model, contents: "Hello!" });
  await assert.rejects(async () => {
    for await (const piece of stream) assert.equal(piece.candidates?.[0]?.finishReason, undefined);
  }, /UNAVAILABLE|got status/);
});
