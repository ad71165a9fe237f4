// Embeddings by Gemini: one request for all texts, as Google's own client sends it, vectors in the form that OpenAI's
// clients ask for, and nothing that looks like an answer when a text has none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { GoogleGenAI } from "@google/genai";
import { gemini } from "#providers/gemini/gemini.ts";
import { vendorDouble } from "../vendor-double.ts";
import { geminiSuite } from "./gemini-suite.ts";

const model = "gemini-embedding-001";
const key = String(geminiSuite.settings.api_key);
const asked = (body: Record<string, unknown>, name = model) => ({
  text: JSON.stringify(body),
  body,
  model: name,
});

function sentFor(body: Record<string, unknown>, name = model, base_url = "https://g.test") {
  const prepared = gemini.embeddings(asked(body, name), gemini.settings.parse({ api_key: key, base_url }));
  assert.ok(prepared.kind === "request", JSON.stringify(prepared));
  return { ...prepared.request, body: JSON.parse(String(prepared.request.body)) as unknown };
}

test("a text, several, and shortened vectors: what Google's client sends", async () => {
  const double = await vendorDouble('{"embeddings":[]}', "application/json");
  try {
    const client = new GoogleGenAI({
      apiKey: key,
      httpOptions: { baseUrl: double.origin, apiVersion: "v1beta" },
    });
    for (const [input, dimensions] of [
      ["one", undefined],
      [["one", "two"], undefined],
      [["one", "two"], 256],
    ] as const) {
      const config = dimensions === undefined ? {} : { config: { outputDimensionality: dimensions } };
      await client.models.embedContent({ model, contents: input as string | string[], ...config });
      const theirs = double.sent()!;
      const ours = sentFor(
        { input, ...(dimensions === undefined ? {} : { dimensions }) },
        model,
        double.origin,
      );
      assert.deepEqual(ours.body, theirs.body);
      assert.equal(new URL(ours.url).pathname, theirs.path);
      assert.equal(ours.headers["x-goog-api-key"], theirs.headers["x-goog-api-key"]);
    }
  } finally {
    double.close();
  }
  const { url, body } = sentFor({ input: "x", model: "pool", user: "u" }, "tunedModels/mine ü");
  assert.equal(url, "https://g.test/v1beta/tunedModels/mine%20%C3%BC:batchEmbedContents");
  assert.equal((body as { requests: { model: string }[] }).requests[0]!.model, "tunedModels/mine ü");
});

test("what Gemini has nothing for is refused by name", () => {
  for (const [body, param] of [
    [{ input: [1, 2, 3] }, "input"],
    [{ input: [[1, 2]] }, "input"],
    [{ input: [] }, "input"],
    [{ input: "x", encoding_format: "hex" }, "encoding_format"],
    [{ input: "x", dimensions: 0 }, "dimensions"],
    [{ input: "x", pooling: "mean" }, "pooling"],
  ] as const) {
    const prepared = gemini.embeddings(asked(body), gemini.settings.parse({ api_key: key }));
    assert.equal(prepared.kind === "unsupported_parameter" && prepared.param, param);
  }
});

const wire = '{"embeddings":[{"values":[-0.012345678901234567,1e-9,0.5]},{"values":[1,2,3]}]}';
const input = ["one", "two"];

test("vectors keep every digit; the usage is reported where Google reports it", () => {
  const plain = gemini.embeddingsAnswer(wire, asked({ input }));
  assert.ok(plain.kind === "answer" && plain.output);
  assert.equal(
    plain.text,
    `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[-0.012345678901234567,1e-9,0.5]},{"object":"embedding","index":1,"embedding":[1,2,3]}],"model":"${model}"}`,
  );
  assert.equal(plain.usage, null);
  const answer = gemini.embeddingsAnswer(
    wire.replace("{", '{"usageMetadata":{"promptTokenCount":4},'),
    asked({ input }),
  );
  assert.ok(answer.kind === "answer");
  assert.deepEqual(answer.usage, { promptTokens: 4, completionTokens: 0, totalTokens: 4 });
  assert.deepEqual(JSON.parse(answer.text).usage, { prompt_tokens: 4, total_tokens: 4 });
});

test("packed, as OpenAI's clients ask for it unless told otherwise", () => {
  const read = gemini.embeddingsAnswer(wire, asked({ input, encoding_format: "base64" }));
  assert.ok(read.kind === "answer");
  const [first, second] = (JSON.parse(read.text).data as { embedding: string }[]).map(({ embedding }) => {
    const bytes = Buffer.from(embedding, "base64");
    return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
  });
  assert.deepEqual(first, [-0.012345678901234567, 1e-9, 0.5].map(Math.fround));
  assert.deepEqual(second, [1, 2, 3]);
});

test("an answer that lacks a vector is no answer, and an error is what it says", () => {
  for (const [text, kind] of [
    ["", "upstream_error"],
    ["[]", "upstream_error"],
    ["{}", "upstream_error"],
    ['{"embeddings":[{"values":[1]}]}', "upstream_error"],
    ['{"embeddings":[{"values":[1]},{"values":[]}]}', "upstream_error"],
    ['{"embeddings":[{"values":[1]},{"values":["1"]}]}', "upstream_error"],
    ['{"embeddings":[{"values":[1]},{"values":[1,,2]}]}', "upstream_error"],
    ['{"embeddings":[{"values":[1]},{"values":[1]},{"values":[1]}]}', "upstream_error"],
    ['{"embeddings":[{"values":[1]},{"values":[1', "upstream_error"],
    ['{"embeddings":[{"values":[1]},{}]}', "upstream_error"],
    [
      '{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}',
      "model_not_found",
    ],
  ] as const) {
    const read = gemini.embeddingsAnswer(text, asked({ input }));
    assert.equal(read.kind === "failure" && read.failure.kind, kind, text);
  }
});
