// The `Idempotency-Key` header: a key, none, or an issue.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { idempotencyKey } from "#http/auth/idempotency-key.ts";

const read = (value?: string) =>
  idempotencyKey({
    headers: value === undefined ? {} : { "idempotency-key": value },
  } as unknown as IncomingMessage);

test("1 to 255 characters are a key, nothing is no key", () => {
  assert.equal(read(), null);
  assert.equal(read("a"), "a");
  assert.equal(read("k".repeat(255)), "k".repeat(255));
});

test("an empty key protects no request, so it is refused", () => {
  assert.deepEqual(read(""), {
    path: ["Idempotency-Key"],
    message: "The Idempotency-Key field is required.",
  });
  assert.deepEqual(read("k".repeat(256)), {
    path: ["Idempotency-Key"],
    message: "The Idempotency-Key field must not be greater than 255 characters.",
  });
});
