// The reply to a creation: 201 with the place of the new resource.

import assert from "node:assert/strict";
import test from "node:test";
import { created } from "#http/reply/created.ts";

test("what was created is shown with its place", () => {
  assert.deepEqual(created("/pools/pool_1", "Made.", { id: "pool_1" }), {
    status: 201,
    headers: { Location: "/pools/pool_1" },
    body: { success: true, message: "Made.", data: { id: "pool_1" } },
  });
});
