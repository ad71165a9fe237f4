// Anthropic's wire traffic after its documentation (platform.claude.com/docs/en): api/messages, build-with-claude/
// streaming, build-with-claude/thinking, agents-and-tools/tool-use, build-with-claude/structured-outputs, api/errors.

import type { ProviderSuite } from "../conformance-cases.ts";
import { answerCases, failureCases, requestCases, streamCases, unsupportedCases } from "../fixtures.ts";

const host = "https://api.anthropic.com";
const key = "sk-ant-api03-example-0123-not-a-key-4567890abc";
const model = "claude-sonnet-4-5-20250929";

export const anthropicSuite: ProviderSuite = {
  settings: { api_key: key },
  model,
  check: `${host}/v1/models?limit=1`,
  refused: [
    { settings: {}, path: "api_key", says: /api_keys/ },
    { settings: { api_key: "" }, path: "api_key", says: /./ },
    { settings: { api_key: key, base_url: "api.anthropic.com" }, path: "base_url", says: /http/ },
    { settings: { api_key: key, base_url: "https://a:b@x.test" }, path: "base_url", says: /login/ },
    { settings: { api_key: key, version: "latest" }, path: "version", says: /2023-06-01/ },
    { settings: { api_key: key, max_tokens: 0 }, path: "max_tokens", says: /1/ },
    { settings: { api_key: key, headers: { "X-Api-Key": "x" } }, path: "headers.X-Api-Key", says: /./ },
  ],
  requests: requestCases("anthropic"),
  unsupported: unsupportedCases("anthropic"),
  answers: answerCases("anthropic"),
  streams: streamCases("anthropic"),
  failures: failureCases("anthropic"),
};
