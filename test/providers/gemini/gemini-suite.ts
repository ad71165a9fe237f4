// Gemini's wire traffic after its documentation (ai.google.dev): api/generate-content, gemini-api/docs/function-calling,
// /thinking, /thought-signatures, /structured-output, /troubleshooting, and error bodies seen in its users' reports.

import type { ProviderSuite } from "../conformance-cases.ts";
import { answerCases, failureCases, requestCases, streamCases, unsupportedCases } from "../fixtures.ts";

const host = "https://generativelanguage.googleapis.com";
const model = "gemini-2.5-flash";
const key = "AIzaSyExample-0123-not-a-key-4567890abc";

export const geminiSuite: ProviderSuite = {
  settings: { api_key: key },
  model,
  check: `${host}/v1beta/models?pageSize=1`,
  refused: [
    { settings: {}, path: "api_key", says: /api_keys/ },
    { settings: { api_key: key, base_url: "https://x.test/?key=1" }, path: "base_url", says: /query/ },
    {
      settings: { api_key: key, headers: { "x-goog-api-key": "x" } },
      path: "headers.x-goog-api-key",
      says: /./,
    },
  ],
  requests: requestCases("gemini"),
  unsupported: unsupportedCases("gemini"),
  answers: answerCases("gemini"),
  streams: streamCases("gemini"),
  failures: failureCases("gemini"),
};
