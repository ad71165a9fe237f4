// Who may manage which account.

import assert from "node:assert/strict";
import test from "node:test";
import { mayManage, type Principal } from "#identity/principal.ts";

const principal = (role: "operator" | "member", accountId: string | null): Principal => ({
  kind: "token",
  id: "tok_1",
  name: "x",
  role,
  accountId,
  scopes: null,
});

test("operators manage every account, members theirs", () => {
  assert.equal(mayManage(principal("operator", null), "acc_1"), true);
  assert.equal(mayManage(principal("member", "acc_1"), "acc_1"), true);
  assert.equal(mayManage(principal("member", "acc_1"), "acc_2"), false);
  assert.equal(mayManage(principal("member", null), "acc_1"), false);
});
