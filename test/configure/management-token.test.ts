// Management tokens of the provisioning file: what is refused, and that a changed entry changes what is there.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import {
  managementTokenInput,
  managementTokenIssues,
  upsertManagementToken,
} from "#configure/management-token.ts";
import { authenticateToken, managementTokens } from "#identity/management-token.ts";
import { peopleDeps } from "../accounts/deps.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { makeAccount } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

const token = "tlm_0123456789abcdef0123456789abcdef";

test("the input: a name, 32 characters that a header can carry, a role; nothing else", () => {
  const good = { name: "ci", token, role: "operator" };
  assert.deepEqual(managementTokenInput.parse(good), { ...good, scopes: null, expires_at: null });
  const bound = { ...good, scopes: ["messages:send", "gateways:read"], expires_at: "2027-01-01T00:00:00Z" };
  assert.deepEqual(managementTokenInput.parse(bound), bound);
  for (const bad of [
    { ...good, token: token.slice(0, 31) },
    { ...good, token: `${token} x` },
    { ...good, token: `${token}ü` },
    { ...good, role: "root" },
    { ...good, name: "" },
    { ...good, extra: 1 },
    { ...good, expires_at: "2027-01-01" },
    { ...good, scopes: [] },
    { ...good, scopes: ["messages"] },
    { ...good, scopes: ["audit:read", "audit:read"] },
  ])
    assert.equal(managementTokenInput.safeParse(bad).success, false);
});

test("a member's token leads to its account, by the account's name", async () => {
  const deps = peopleDeps(store);
  const accountId = await makeAccount(store.database, { name: "acme" });
  const input = managementTokenInput.parse({ name: "crm", token, role: "member", account: "acme" });
  const saved = await upsertManagementToken(deps, input);
  assert.ok(saved.kind === "saved");
  assert.deepEqual(await authenticateToken(deps, token), {
    kind: "token",
    id: saved.id,
    name: "crm",
    role: "member",
    accountId,
    scopes: null,
    endsAt: null,
  });
  const endsAt = deps.clock.now() + 60_000;
  const bound = await upsertManagementToken(deps, {
    ...input,
    scopes: ["audit:read"],
    expires_at: new Date(endsAt).toISOString(),
  });
  assert.deepEqual(bound, saved);
  const principal = await authenticateToken(deps, token, { unattended: true });
  assert.ok(principal?.kind === "token");
  assert.deepEqual([principal.scopes, principal.endsAt], [["audit:read"], endsAt]);
  const [row] = await managementTokens(store.database, { before: null, limit: 1 });
  assert.equal(row?.last_used_at, deps.clock.now(), "the last use is not the file's to say");
  const next = `${token}-next`;
  const changed = await upsertManagementToken(deps, {
    ...input,
    token: next,
    role: "operator",
    account: null,
  });
  assert.deepEqual(changed, saved);
  assert.equal(await authenticateToken(deps, token), null);
  const freed = await authenticateToken(deps, next);
  assert.ok(freed?.kind === "token");
  assert.deepEqual(
    [freed.accountId, freed.scopes, freed.endsAt],
    [null, null, null],
    "the entry decides, and has none",
  );
  const twice = await upsertManagementToken(deps, { ...input, name: "another", token: next });
  assert.deepEqual(twice.kind === "invalid" && twice.issues.map(({ path }) => path.join(".")), ["token"]);
});

test("role and account have to fit, and the account has to be there or about to be", async () => {
  const deps = peopleDeps(store);
  const faults = (fields: object, coming?: string[]) =>
    managementTokenIssues(deps, managementTokenInput.parse({ name: "x", token, ...fields }), coming);
  for (const fields of [
    { role: "member" },
    { role: "member", account: null },
    { role: "operator", account: "acme" },
    { role: "member", account: "nowhere" },
  ]) {
    assert.deepEqual(
      (await faults(fields)).map(({ path }) => path.join(".")),
      ["account"],
    );
  }
  assert.deepEqual(await faults({ role: "member", account: "nowhere" }, ["nowhere"]), []);
  assert.deepEqual(await faults({ role: "operator" }), []);
});
