// OpenAI and those who speak it, on recorded traffic: the conformance suite, and that what is passed on is passed on
// byte by byte, in every way a caller may write it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { ChatRequest } from "#providers/provider.ts";
import { providerConformance } from "../conformance.ts";
import { requestOf } from "../conformance-cases.ts";
import { openaiSuite } from "../openai-suite.ts";

providerConformance(openaiCompatible, openaiSuite);

const settings = openaiCompatible.settings.parse(openaiSuite.settings);

/** Bytes that a parse and a print would change. */
const fragile =
  '"seed":12345678901234567890123,"temperature":-0,"top_p":1e400,"x":1.10,"y":1E+2,"messages" : [ {"role":"user","content":"\\u00e9\\/\\ud800 \\u2028\u2028é😀"} ],"logit_bias":{"b":1,"a":2,"a":3},"user":"first","__proto__":{"a":1},"user":"second"';

function bodyOf(text: string, stream = false): string {
  const request: ChatRequest = { text, body: JSON.parse(text), model: "gpt-4.1", stream };
  const prepared = openaiCompatible.chat(request, settings);
  assert.ok(prepared.kind === "request");
  return String(prepared.request.body);
}

test("a request is passed on byte by byte, but for the model's name", () => {
  assert.equal(bodyOf(`{${fragile}, "model" : "pool" }`), `{${fragile}, "model" : "gpt-4.1" }`);
  assert.equal(bodyOf(`\n{ "mod\\u0065l":"pool",${fragile}}\t`), `\n{ "mod\\u0065l":"gpt-4.1",${fragile}}\t`);
  assert.equal(bodyOf(`{${fragile}}`), `{${fragile},"model":"gpt-4.1"}`);
});

test("streamed, only the wish for the usage is added, inside what the caller said", () => {
  const usage = '"stream_options":{"include_usage":true}';
  assert.equal(bodyOf(`{"model":"p",${fragile}}`, true), `{"model":"gpt-4.1",${fragile},${usage}}`);
  for (const [options, sent] of [
    ["null", '{"include_usage":true}'],
    ["{}", '{"include_usage":true}'],
    ['{"include_usage":false,"z":-0}', '{"include_usage":true,"z":-0}'],
    ['{ "z" : 1e400 }', '{ "z" : 1e400 ,"include_usage":true}'],
  ] as const) {
    assert.equal(
      bodyOf(`{"model":"p","stream_options":${options},${fragile}}`, true),
      `{"model":"gpt-4.1","stream_options":${sent},${fragile}}`,
    );
  }
});

test("an answer is passed on as it came", () => {
  const text = `{"id":"x","big":98765432109876543210,"choices":[{"index":0,"message":{"role":"assistant","content":"\\ud800\\/"},"finish_reason":"stop"}],"id":"y","z":-0}\n`;
  assert.deepEqual(openaiCompatible.answer(text, requestOf({ messages: [] }, "m")), {
    kind: "answer",
    text,
    output: true,
    usage: null,
  });
});

test("embeddings go out and come back as they are", () => {
  const text = `{"input":["a"],"dimensions":3e0,"model":"p"}`;
  const request = { text, body: JSON.parse(text), model: "e-3" };
  const prepared = openaiCompatible.embeddings(request, settings);
  assert.ok(prepared.kind === "request");
  assert.equal(prepared.request.url, "https://api.openai.com/v1/embeddings");
  assert.equal(prepared.request.body, `{"input":["a"],"dimensions":3e0,"model":"e-3"}`);
  const answer =
    '{"object":"list","data":[{"index":0,"embedding":[-0,1e-9]}],"usage":{"prompt_tokens":2,"total_tokens":2}}';
  assert.deepEqual(openaiCompatible.embeddingsAnswer(answer, request), {
    kind: "answer",
    text: answer,
    output: true,
    usage: { promptTokens: 2, completionTokens: 0, totalTokens: 2 },
  });
  for (const [wrong, kind] of [
    ["", "upstream_error"],
    ["{}", "upstream_error"],
    ['{"error":{"message":"x","code":"model_not_found"}}', "model_not_found"],
  ] as const) {
    const read = openaiCompatible.embeddingsAnswer(wrong, request);
    assert.ok(read.kind === "failure" && read.failure.kind === kind, wrong);
  }
  const empty = openaiCompatible.embeddingsAnswer('{"data":[]}', request);
  assert.ok(empty.kind === "answer" && !empty.output);
});

test("without a key no header says who asks", () => {
  const check = openaiCompatible.check(openaiCompatible.settings.parse({ vendor: "ollama" }));
  assert.deepEqual(check?.headers, { accept: "application/json" });
});

test("Azure's deployments are checked and embed where Azure has it", () => {
  const azure = openaiCompatible.settings.parse({
    vendor: "azure-openai",
    base_url: "https://mine.openai.azure.com/openai/deployments/e-3/",
    api_version: "2024-10-21",
    api_key: "k",
  });
  const root = "https://mine.openai.azure.com/openai";
  assert.equal(openaiCompatible.check(azure)?.url, `${root}/models?api-version=2024-10-21`);
  const prepared = openaiCompatible.embeddings({ text: "{}", body: {}, model: "e-3" }, azure);
  assert.ok(prepared.kind === "request");
  assert.equal(prepared.request.url, `${root}/deployments/e-3/embeddings?api-version=2024-10-21`);
});
