// The reply to a creation: 201 with the place of the new resource, and a problem as it is.

import assert from "node:assert/strict";
import test from "node:test";
import { problem } from "#contract/problem.ts";
import { created, createdAs } from "#http/reply/created.ts";

const body = { success: true, data: { id: "pool_1" } };

test("what was created is shown with its place", () => {
  assert.deepEqual(created("/pools/pool_1", body), {
    status: 201,
    headers: { Location: "/pools/pool_1" },
    body,
  });
  const shown = { status: 200 as const, body };
  assert.deepEqual(
    createdAs(shown, ({ data }) => `/pools/${data.id}`),
    created("/pools/pool_1", body),
  );
});

test("a problem stays a problem", () => {
  const missing = problem("not_found");
  assert.equal(
    createdAs<{ status: 200; body: typeof body }>(missing, () => assert.fail("nothing was created")),
    missing,
  );
});
