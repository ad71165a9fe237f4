// The words of managing people: only listed fields, and nothing that the storage could not hold.

import assert from "node:assert/strict";
import test from "node:test";
import {
  accountAuditQuery,
  auditQuery,
  changePasswordRequest,
  createManagementTokenRequest,
  createUserRequest,
  peoplePage,
  setUpRequest,
  signInRequest,
  updateUserRequest,
} from "#contract/manage/identity.ts";

const user = { email: "ann@acme.test", name: "Ann", role: "member", account: "acc_1", password: "x" };
const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

test("every request takes its own fields alone", () => {
  const requests = [
    [signInRequest, { email: "ann@acme.test", password: "x" }],
    [setUpRequest, { code: "c", email: "ann@acme.test", name: "Ann", password: "x" }],
    [changePasswordRequest, { current_password: "x", password: "y" }],
    [createUserRequest, user],
    [updateUserRequest, { name: "Ann" }],
    [updateUserRequest, {}],
    [createManagementTokenRequest, { name: "ci", role: "operator" }],
  ] as const;
  for (const [schema, good] of requests) {
    assert.ok(takes(schema, good), JSON.stringify(good));
    for (const more of ["id", "hash", "created_at", "signed_in_at", "token", "account_id", "credits"])
      assert.equal(takes(schema, { ...good, [more]: "x" }), false, more);
  }
  for (const field of ["email", "id"]) assert.equal(takes(updateUserRequest, { [field]: "x@y.test" }), false);
  for (const field of ["role", "account", "active"])
    assert.equal(takes(setUpRequest, { [field]: "x" }), false);
});

test("addresses, names and roles have their shapes", () => {
  for (const email of ["ann@acme.test", "a+b@c", "ünïcode@müller.test"])
    assert.ok(takes(createUserRequest, { ...user, email }), email);
  for (const email of [
    "",
    "ann",
    "@acme.test",
    "ann@",
    "a@b@c d",
    "a b@c.test",
    "a\0@c.test",
    `${"x".repeat(65)}@c.test`,
  ])
    assert.equal(takes(createUserRequest, { ...user, email }), false, email);
  for (const name of ["", "  ", "x".repeat(101), "a\0b", "\ud800"])
    assert.equal(takes(createUserRequest, { ...user, name }), false, name);
  for (const role of ["admin", "", null, ["operator"]])
    assert.equal(takes(createUserRequest, { ...user, role }), false);
  assert.equal(
    takes(signInRequest, { email: "a\0b", password: "x" }),
    false,
    "a NUL never reaches the storage",
  );
});

test("pages: 50 by default, 200 at most; a cursor or a filter that cannot be ours is a fault", () => {
  assert.deepEqual(peoplePage.parse({}), { limit: 50 });
  assert.deepEqual(peoplePage.parse({ limit: "7", cursor: "usr_1" }), { limit: 7, cursor: "usr_1" });
  for (const bad of [
    { limit: "0" },
    { limit: "201" },
    { limit: "x" },
    { cursor: "a b" },
    { cursor: "\0" },
    { offset: "1" },
  ])
    assert.equal(takes(peoplePage, bad), false, JSON.stringify(bad));
  assert.ok(takes(auditQuery, { account: "acc_1", actor: "usr_1", action: "signIn" }));
  assert.equal(takes(accountAuditQuery, { account: "acc_1" }), false);
  assert.equal(takes(auditQuery, { actor: "'; drop table users" }), false);
});
