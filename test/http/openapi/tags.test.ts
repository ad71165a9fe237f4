// Every tag of the OpenAPI document says what its operations are for, and no other is described.

import assert from "node:assert/strict";
import test from "node:test";
import { endpoints } from "#http/endpoints.ts";
import { tags } from "#http/openapi/tags.ts";

test("the tags that operations have are those that are described", () => {
  const used = new Set(endpoints.map(({ head }) => head.tag));
  assert.deepEqual(Object.keys(tags).sort(), [...used].sort());
});
