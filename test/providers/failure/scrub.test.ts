// Keys of every vendor in the sentences in which vendors quote them, and the sentences that must stay as they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scrub } from "#providers/failure/scrub.ts";

test("keys go, of every vendor", () => {
  const keys = [
    "sk-proj-abc123DEF456ghi789",
    "sk-ant-api03-abc-123_DEF",
    "sk-abcd************wxyz",
    "gsk_0a1b2c3d4e5f6g7h",
    "xai-0a1b2c3d4e5f6g7h",
    "tlp_0123456789abcdef0123456789abcdef",
    "AIzaSyExample-0123-not-a-key-4567890abc",
    "ya29.a0AfH6SMBx-123",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    "IQoJb3JpZ2luX2VjEJr//////////wEaCWV1LXdlc3/EXAMPLE+0123/abcdef==",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-123",
    "0123456789abcdef0123456789abcdef",
  ];
  for (const key of keys) {
    for (const message of [
      `Incorrect API key provided: ${key}. Find yours.`,
      `invalid "x-api-key": "${key}"`,
      `(${key})`,
      `Authorization: Bearer ${key} refused`,
      `GET /v1/models?key=${key}&x=1`,
    ]) {
      assert.ok(!scrub(message).includes(key), scrub(message));
    }
  }
});

test("what is named as a secret goes, however it looks", () => {
  assert.equal(scrub("password: hunter2x, user: ann"), "password: ***, user: ann");
  assert.equal(scrub('{"api_key":"plainwords","n":1}'), '{"api_key":"***","n":1}');
  assert.equal(scrub("access_token=plainwords&x=1"), "access_token=***&x=1");
  assert.equal(scrub("x-amz-security-token:ab/cd+ef\nhost;x"), "x-amz-security-token:*** host;x");
  assert.equal(scrub("aws_session_token=ab/cd+ef"), "aws_session_token=***");
});

test("URLs keep host and path alone", () => {
  assert.equal(
    scrub("POST https://ann:pw@x.test:8443/v1/a?key=1&b#c failed (see http://y.test/?q)."),
    "POST https://x.test:8443/v1/a failed (see http://y.test/",
  );
});

test("ordinary sentences stay", () => {
  for (const message of [
    "max_tokens: 999999 > 64000, which is the maximum allowed",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "Unknown parameter: 'reasoning_effort'.",
    "Basic authentication is not enough; use a Bearer token.",
    "The model `claude-sonnet-4-5-20250929` does not exist, req_011CSHoEeqs5C35K2UUqR7Fy",
    "The key must be a string; token count exceeds 8192",
    "The security token included in the request is invalid.",
    "Invalid schema for function 'get_weather': sk-learn is no type",
  ]) {
    assert.equal(scrub(message), message);
  }
});

test("one line, no control characters, at most 2,000 units, well formed", () => {
  assert.equal(scrub(" a\r\n\tb\u0000\u202ec "), "a b c");
  const long = scrub("🎉".repeat(5000));
  assert.ok(long.length <= 2000 && long.endsWith("…"));
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const line = scrub(text);
      assert.ok(line.isWellFormed());
      assert.doesNotMatch(line, /\p{Cc}/u);
    }),
  );
});

test("64 KiB of anything takes no longer than it should", () => {
  for (const unit of ["a", "1", "a1", "sk-", "key=", "http://", "://", "eyJ", "Bearer ", "@", "?", " "]) {
    assert.ok(scrub(unit.repeat(65_536 / unit.length)).length <= 2000);
  }
});
