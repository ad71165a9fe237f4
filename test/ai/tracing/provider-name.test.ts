// Members' names in the conventions.

import assert from "node:assert/strict";
import test from "node:test";
import { providerName } from "#ai/tracing/provider-name.ts";

test("kinds and vendors have the names of the conventions, others their own", () => {
  const name = (kind: string, settings: unknown = {}) => providerName({ provider: { kind }, settings });
  assert.deepEqual(
    ["anthropic", "bedrock", "gemini", "vertex", "sandbox"].map((kind) => name(kind, { vendor: "xai" })),
    ["anthropic", "aws.bedrock", "gcp.gemini", "gcp.vertex_ai", "sandbox"],
  );
  assert.deepEqual(
    ["openai", "azure-openai", "mistral", "xai", "groq", "ollama"].map((vendor) =>
      name("openai-compatible", { vendor }),
    ),
    ["openai", "azure.ai.openai", "mistral_ai", "x_ai", "groq", "ollama"],
  );
  assert.equal(name("openai-compatible", null), "openai-compatible");
});
