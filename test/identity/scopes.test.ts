// What scopes include: writing includes reading of its area, and everything of messages a send.

import assert from "node:assert/strict";
import test from "node:test";
import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";
import { allows, includesAll, readScopes, storedScopes } from "#identity/scopes.ts";

test("a scope allows itself, one to write also its area, and null everything", () => {
  const cases: [readonly TokenScope[] | null, TokenScope, boolean][] = [
    [null, "users:write", true],
    [["pools:read"], "pools:read", true],
    [["pools:read"], "pools:write", false],
    [["pools:write"], "pools:read", true],
    [["pools:write"], "keys:read", false],
    [["pools:write"], "prompts:read", false],
    [["prompts:read"], "pools:read", false],
    [["messages:write"], "messages:send", true],
    [["messages:send"], "messages:read", false],
    [["messages:read"], "messages:send", false],
    [["audit:read", "keys:write"], "keys:read", true],
    [[], "audit:read", false],
  ];
  for (const [held, needed, expected] of cases)
    assert.equal(allows(held, needed), expected, `${held} ${needed}`);
});

test("what is asked for is within what is held; null is within null alone", () => {
  assert.ok(includesAll(null, null) && includesAll(null, ["users:write"]));
  assert.ok(includesAll(["pools:write", "audit:read"], ["pools:read", "audit:read"]));
  assert.ok(!includesAll(["pools:write"], ["pools:read", "audit:read"]));
  assert.ok(!includesAll(["pools:write"], null));
});

test("scopes are stored and read", () => {
  assert.equal(storedScopes(null), null);
  assert.equal(readScopes(null), null);
  assert.deepEqual(readScopes(storedScopes(["audit:read"])), ["audit:read"]);
});
