// The query of a request, in every form of its target.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { queryOf } from "#http/request.ts";

const query = (url?: string) => [...queryOf({ url } as IncomingMessage)];

test("the query is what follows the first question mark, decoded", () => {
  assert.deepEqual(query("/api/get/sms?limit=5&cursor=a%20b"), [
    ["limit", "5"],
    ["cursor", "a b"],
  ]);
  assert.deepEqual(query("http://host/path?a=1?b=2"), [["a", "1?b=2"]]);
});

test("a request without a query has an empty one", () => {
  assert.deepEqual(query("/api/get/sms"), []);
  assert.deepEqual(query("/api/get/sms?"), []);
  assert.deepEqual(query(undefined), []);
});
