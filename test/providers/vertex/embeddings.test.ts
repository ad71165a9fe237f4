// Embeddings on Vertex AI: what Google's own client sends and reads, by the method of each model, and what is another member's.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { EmbedContentConfig } from "@google/genai";
import { vertexEmbeddingsAnswer, vertexEmbeddingsBody } from "#providers/vertex/embeddings.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import { vendorDouble } from "../vendor-double.ts";
import { credentials } from "./key-file.ts";
import { vertexClient } from "./sdk-client.ts";

const asked = (body: Record<string, unknown>, model = "text-embedding-005") => ({
  text: JSON.stringify(body),
  body,
  model,
});
const settings = vertex.settings.parse({ location: "europe-west4", credentials });

function sentFor(body: Record<string, unknown>, model?: string) {
  const prepared = vertex.embeddings(asked(body, model), settings);
  assert.ok(prepared.kind === "request", JSON.stringify(prepared));
  const { url, body: text, method, tokenGrant } = prepared.request;
  assert.ok(tokenGrant);
  return { method, path: new URL(url).pathname, body: JSON.parse(String(text)) as unknown };
}

const config: EmbedContentConfig = {
  taskType: "RETRIEVAL_DOCUMENT",
  title: "On trunks",
  outputDimensionality: 256,
  autoTruncate: false,
};
const same = { task_type: "RETRIEVAL_DOCUMENT", title: "On trunks", dimensions: 256, auto_truncate: false };

for (const [model, input, method] of [
  ["text-embedding-005", ["one", "two"], "predict"],
  ["text-multilingual-embedding-002", ["one"], "predict"],
  ["gemini-embedding-001", ["one"], "predict"],
  ["gemini-embedding-2-preview", ["one"], "embedContent"],
] as const) {
  test(`${model} is asked by :${method} with the body that Google's client sends`, async () => {
    const double = await vendorDouble("{}", "application/json");
    try {
      for (const [theirs, ours] of [
        [undefined, {}],
        [config, same],
        [{ outputDimensionality: 64 }, { dimensions: 64 }],
      ] as const) {
        const more = theirs === undefined ? {} : { config: theirs };
        await vertexClient(double.origin).models.embedContent({ model, contents: [...input], ...more });
        const sent = double.sent();
        const path = `/v1/projects/example-project/locations/europe-west4/publishers/google/models/${model}:${method}`;
        const own = sentFor({ input, ...ours }, model);
        assert.deepEqual(own, { method: sent?.method, path: sent?.path, body: sent?.body });
        assert.equal(own.path, path);
        assert.deepEqual(sentFor({ input, ...ours }, `publishers/google/models/${model}`), own);
      }
    } finally {
      double.close();
    }
  });
}

test("one text alone is a list of one", () => {
  assert.deepEqual(sentFor({ input: "one", user: "u" }).body, { instances: [{ content: "one" }] });
});

test("what a model does not take is refused by name, so that another member gets it", () => {
  const many = Array.from({ length: 251 }, () => "x");
  const cases: [string, Record<string, unknown>, string][] = [
    ["text-embedding-005", { input: many }, "input"],
    ["gemini-embedding-001", { input: ["one", "two"] }, "input"],
    ["gemini-embedding-2-preview", { input: ["one", "two"] }, "input"],
    ["text-embedding-005", { input: [1, 2] }, "input"],
    ["text-embedding-005", { input: [] }, "input"],
    ["text-embedding-005", { input: "x", task_type: 1 }, "task_type"],
    ["text-embedding-005", { input: "x", title: ["a"] }, "title"],
    ["text-embedding-005", { input: "x", auto_truncate: "no" }, "auto_truncate"],
    ["text-embedding-005", { input: "x", encoding_format: "hex" }, "encoding_format"],
    ["text-embedding-005", { input: "x", pooling: "mean" }, "pooling"],
    ["claude-opus-4-6", { input: "x" }, "model"],
  ];
  for (const [model, body, param] of cases) {
    const prepared = vertex.embeddings(asked(body, model), settings);
    assert.equal(prepared.kind === "unsupported_parameter" && prepared.param, param, model);
  }
  assert.equal(vertexEmbeddingsBody(asked({ input: many.slice(1) }), "text-embedding-005").kind, "body");
});

const prediction = (values: string, count: number | null = 3) =>
  `{"embeddings":{"statistics":{"truncated":false${count === null ? "" : `,"token_count":${count}`}},"values":${values}}}`;
const predicted = (...list: string[]) =>
  `{"predictions":[${list.join(",")}],"metadata":{"billableCharacterCount":6}}`;
const embedded =
  '{"embedding":{"values":[0.012345678901234567,1]},"usageMetadata":{"promptTokenCount":4},"truncated":false}';

test("predictions keep every digit and their order, and their tokens are added up", async () => {
  const wire = predicted(prediction("[-0.012345678901234567,1e-9]"), prediction("[1,2]", 4));
  const read = vertex.embeddingsAnswer(wire, asked({ input: ["one", "two"] }));
  assert.ok(read.kind === "answer" && read.output);
  assert.equal(
    read.text,
    '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[-0.012345678901234567,1e-9]},{"object":"embedding","index":1,"embedding":[1,2]}],"model":"text-embedding-005","usage":{"prompt_tokens":7,"total_tokens":7}}',
  );
  assert.deepEqual(read.usage, { promptTokens: 7, completionTokens: 0, totalTokens: 7 });
  const double = await vendorDouble(wire, "application/json");
  try {
    const params = { model: "text-embedding-005", contents: ["one", "two"] };
    const { embeddings = [] } = await vertexClient(double.origin).models.embedContent(params);
    assert.deepEqual(
      JSON.parse(read.text).data.map(({ embedding }: { embedding: number[] }) => embedding),
      embeddings.map(({ values }) => values),
    );
    const counted = embeddings.reduce((sum, { statistics }) => sum + (statistics?.tokenCount ?? 0), 0);
    assert.equal(read.usage?.promptTokens, counted);
  } finally {
    double.close();
  }
});

test("the answer of embedContent is one vector, as Google's client reads it", async () => {
  const model = "gemini-embedding-2-preview";
  const read = vertex.embeddingsAnswer(
    embedded,
    asked({ input: ["one"] }, `publishers/google/models/${model}`),
  );
  assert.ok(read.kind === "answer");
  assert.match(read.text, /"embedding":\[0\.012345678901234567,1\]/);
  const double = await vendorDouble(embedded, "application/json");
  try {
    const theirs = await vertexClient(double.origin).models.embedContent({ model, contents: "one" });
    assert.deepEqual(JSON.parse(read.text).data[0].embedding, theirs.embeddings?.[0]?.values);
    assert.equal(read.usage?.promptTokens, theirs.embeddings?.[0]?.statistics?.tokenCount);
  } finally {
    double.close();
  }
});

test("where a prediction counts nothing, no usage is reported; vectors are packed on request", () => {
  const wire = predicted(prediction("[1]"), prediction("[2]", null));
  const input = ["one", "two"];
  const plain = vertex.embeddingsAnswer(wire, asked({ input }));
  assert.ok(plain.kind === "answer" && plain.usage === null);
  const packed = vertex.embeddingsAnswer(wire, asked({ input, encoding_format: "base64" }));
  assert.ok(packed.kind === "answer");
  const bytes = Buffer.from(JSON.parse(packed.text).data[1].embedding, "base64");
  assert.deepEqual([bytes.length, bytes.readFloatLE(0)], [4, 2]);
});

test("an answer that lacks a vector is no answer, and an error is what it says", () => {
  const input = ["one", "two"];
  for (const text of [
    "",
    "[]",
    "{}",
    '{"predictions":[]}',
    '{"predictions":7}',
    predicted(prediction("[1]")),
    predicted(prediction("[1]"), prediction("[]")),
    predicted(prediction("[1]"), prediction('["1"]')),
    predicted(prediction("[1]"), '{"values":[1]}'),
    predicted(prediction("[1]"), prediction("[1]"), prediction("[1]")),
    predicted(prediction("[1]"), prediction("[1]")).slice(0, -30),
    embedded,
  ]) {
    const read = vertex.embeddingsAnswer(text, asked({ input }));
    assert.equal(read.kind === "failure" && read.failure.kind, "upstream_error", text);
  }
  for (const text of ["{}", '{"embedding":{}}', predicted(prediction("[1]"))]) {
    const read = vertexEmbeddingsAnswer(text, asked({ input: "x" }), "gemini-embedding-2-preview");
    assert.equal(read.kind === "failure" && read.failure.kind, "upstream_error", text);
  }
  const refusal = '{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED"}}';
  const read = vertex.embeddingsAnswer(refusal, asked({ input }));
  assert.equal(read.kind === "failure" && read.failure.kind, "rate_limited");
});
