// The scopes that a token may name.

import assert from "node:assert/strict";
import test from "node:test";
import {
  newTokenScopes,
  provisionedTokenScopes,
  scopeAreas,
  shownTokenScopes,
  tokenScopes,
} from "#contract/manage/keys/token-scopes.ts";

test("each area can be read, and written but for the audit log and prompts; a send has a scope of its own", () => {
  assert.equal(tokenScopes.length, 2 * scopeAreas.length - 1);
  assert.equal(new Set(tokenScopes).size, tokenScopes.length);
  for (const area of scopeAreas) {
    assert.ok(tokenScopes.includes(`${area}:read`));
    const isWritten = (tokenScopes as readonly string[]).includes(`${area}:write`);
    assert.equal(isWritten, area !== "audit" && area !== "prompts");
  }
  assert.ok(tokenScopes.includes("messages:send"));
});

test("none is null, a list names at least one, and each once", () => {
  for (const schema of [newTokenScopes, provisionedTokenScopes]) {
    assert.equal(schema.parse(undefined), null);
    assert.equal(schema.parse(null), null);
    assert.deepEqual(schema.parse([...tokenScopes]), [...tokenScopes]);
    for (const wrong of [[], ["audit:write"], ["messages"], ["audit:read", "audit:read"], "audit:read"])
      assert.equal(schema.safeParse(wrong).success, false, JSON.stringify(wrong));
  }
  assert.deepEqual(shownTokenScopes.parse([]), [], "a reply has what is stored");
});
