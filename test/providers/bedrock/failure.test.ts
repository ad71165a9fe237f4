// Bedrock's errors beside the recorded ones: the name goes before the status, and errors that share a name differ by what they say.

import assert from "node:assert/strict";
import test from "node:test";
import { bedrockError, bedrockFailure } from "#providers/bedrock/failure.ts";

const kind = (status: number, type: string, message = "x") =>
  bedrockFailure(status, { "x-amzn-errortype": type }, JSON.stringify({ message }), 0).kind;

test("the name goes before the status; one that is new is classed by it", () => {
  assert.equal(kind(400, "ThrottlingException"), "rate_limited");
  assert.equal(kind(500, "com.amazon.coral.service#ThrottlingException:http://x"), "rate_limited");
  assert.equal(kind(400, "BrandNew"), "invalid_request");
  assert.equal(kind(503, "BrandNew"), "upstream_error");
  assert.equal(kind(429, "constructor"), "rate_limited");
});

test("a limit of the answer is read, in Bedrock's words and in the model's", () => {
  const limit = (message: string) => bedrockError(400, "ValidationException", { message }, null).outputLimit;
  assert.equal(limit("The maximum tokens you requested exceeds the model limit of 4096. Try again"), 4096);
  assert.equal(
    limit(
      "The model returned the following errors: max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
    ),
    8192,
  );
  assert.equal(limit("Malformed input request"), undefined);
});

test("words of a refused permission are for the owner alone", () => {
  const message = "User: arn:aws:iam::123456789012:user/x is not authorized to perform: bedrock:InvokeModel";
  const failure = bedrockError(403, "AccessDeniedException", { message }, null);
  assert.equal(failure.detail, message);
  assert.doesNotMatch(failure.error.message, /arn:/);
});

test("a refused signature quotes what was signed, the session's token with it: that stays out of the owner's reason", () => {
  const token = "ab//cd+EF/gh/plain";
  const message = `Wrong.\n\nThe Canonical String should have been\n'POST\n/a\n\nhost:x\nx-amz-security-token:${token}\n\nhost'`;
  assert.equal(
    bedrockError(403, "InvalidSignatureException", { message }, null).detail,
    "Wrong. The Canonical String should have been 'POST /a host:x x-amz-security-token:*** host'",
  );
});

test("thoughts that another one signed are recognised behind Bedrock's own words", () => {
  const message =
    "The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block";
  assert.match(bedrockError(400, "ValidationException", { message }, null).error.message, /^messages\.1/);
});
