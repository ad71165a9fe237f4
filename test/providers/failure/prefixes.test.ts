// What servers put before a vendor's words is taken off; what a client may have written is not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPrefixes } from "#providers/failure/prefixes.ts";

const cases: readonly (readonly [message: string, text: string, kind: string | null])[] = [
  ["litellm.BadRequestError: DeepseekException - No tools.", "No tools.", null],
  ["litellm.UnsupportedParamsError: groq does not take it", "groq does not take it", "unsupported"],
  ["litellm.ContentPolicyViolationError: OpenAIException - No.", "No.", "content_policy"],
  ["Error code: 400 - {'error': {'message': 'No tools.'}}", "No tools.'}}", null],
  ['Provider returned error: {"error":"No tools."}', 'No tools."}', null],
  ['{"code":400,"message":"No tools."}', 'No tools."}', null],
  ["<400> InternalError.Algo.InvalidParameter: No tools.", "No tools.", null],
  ["Input validation error: No tools.", "No tools.", null],
  ["No tools.", "No tools.", null],
  ["Invalid value: 'Error: x'", "Invalid value: 'Error: x'", null],
  [
    "Unknown parameter: 'litellm.BadRequestError: x'",
    "Unknown parameter: 'litellm.BadRequestError: x'",
    null,
  ],
];

test("each prefix, and several in a row", () => {
  for (const [message, text, kind] of cases)
    assert.deepEqual(withoutPrefixes(message), { text, kind }, message);
});

test("a text of nothing but prefixes is read as far as a dozen", () => {
  assert.equal(withoutPrefixes("Error: ".repeat(13)).text, "Error: ");
});
