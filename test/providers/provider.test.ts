// A provider's definition, closed: what it leaves out is refused in words, and its secrets are marked as such.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineProvider } from "#providers/provider.ts";
import { secret } from "#settings/secrets.ts";

const failure = {
  kind: "upstream_error",
  status: 500,
  retryAfterMs: null,
  error: { message: "x", type: "x", param: null, code: null },
} as const;
const plain = defineProvider({
  kind: "plain",
  title: "Plain",
  summary: "For this test.",
  settings: z.strictObject({ key: secret().describe("The key.") }),
  urls: ({ key }) => [`https://${key}.test`],
  chat: (request, { key }) => ({ kind: "unsupported_parameter", param: request.model, message: key }),
  answer: () => ({ kind: "failure", failure }),
  stream: () => ({ push: () => [] }),
  failure: () => failure,
  check: () => null,
});

test("a kind without embeddings says so, and is not asked to read any", () => {
  assert.equal(plain.embeds, false);
  assert.deepEqual(plain.embeddings({ text: "{}", body: {}, model: "m" }, { key: "k" }), {
    kind: "unsupported_parameter",
    param: "model",
    message: "Providers of kind plain have no embeddings.",
  });
  assert.throws(() => plain.embeddingsAnswer("{}", { text: "{}", body: {}, model: "m" }), /plain/);
});

test("settings reach its functions, and a secret is one in the schema", () => {
  assert.deepEqual(plain.urls({ key: "k" }), ["https://k.test"]);
  const request = { text: "{}", body: {}, model: "m", stream: false };
  assert.deepEqual(plain.chat(request, { key: "k" }), {
    kind: "unsupported_parameter",
    param: "m",
    message: "k",
  });
  const shape = z.toJSONSchema(plain.settings) as unknown as { properties: { key: { secret?: boolean } } };
  assert.equal(shape.properties.key.secret, true);
  assert.equal(plain.settings.safeParse({ key: "" }).success, false);
});
