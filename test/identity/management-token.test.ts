// Management tokens: kept as a hash, dead on the next request after they are revoked.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";
import {
  authenticateToken,
  createManagementToken,
  managementTokens,
  maxTokenLength,
  revokeToken,
} from "#identity/management-token.ts";
import { hashSecret } from "#runtime/secret.ts";
import { peopleDeps } from "../accounts/deps.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { fresh, makeAccount } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

async function made(accountId: string | null = null, scopes: readonly TokenScope[] | null = null) {
  const deps = peopleDeps(store);
  const name = fresh("ci");
  const role = accountId === null ? ("operator" as const) : ("member" as const);
  const result = await createManagementToken(deps, { name, role, accountId, scopes });
  assert.ok(result);
  return { deps, name, ...result };
}

test("a token leads to its principal", async () => {
  const accountId = await makeAccount(store.database);
  const { token, row, name, deps } = await made(accountId);
  assert.match(token, /^tlm_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(await authenticateToken(deps, token), {
    kind: "token",
    id: row.id,
    name,
    role: "member",
    accountId,
    scopes: null,
    endsAt: null,
  });
  const bound = await made(accountId, ["messages:send", "audit:read"]);
  const principal = await authenticateToken(deps, bound.token);
  assert.deepEqual(principal?.kind === "token" && principal.scopes, ["messages:send", "audit:read"]);
});

test("the database does not hold it, and its hash is no token", async () => {
  const { token, row, deps } = await made();
  assert.equal(JSON.stringify(await store.query("select * from management_tokens")).includes(token), false);
  assert.equal(row.hint, `tlm_…${token.slice(-4)}`);
  for (const wrong of [
    "",
    hashSecret(token),
    token.slice(0, -1),
    `${token} `,
    "x".repeat(maxTokenLength + 1),
  ])
    assert.equal(await authenticateToken(deps, wrong), null);
});

test("revoking works at once and again; an unknown one is null", async () => {
  const { token, row, deps } = await made();
  const revoked = await revokeToken(deps, row.id);
  assert.equal(revoked?.revoked_at, deps.clock.now());
  assert.equal(await authenticateToken(deps, token), null);
  await deps.clock.advance(1_000);
  assert.equal((await revokeToken(deps, row.id))?.revoked_at, revoked?.revoked_at);
  assert.equal(await revokeToken(deps, "tok_none"), null);
});

test("a name is given once, and again after its token was revoked", async () => {
  const { name, row, deps } = await made();
  const again = { name, role: "operator" as const, accountId: null };
  assert.equal(await createManagementToken(deps, again), null);
  await revokeToken(deps, row.id);
  assert.ok(await createManagementToken(deps, again));
  const named = (await managementTokens(store.database, { before: null, limit: 200 })).filter(
    (one) => one.name === name,
  );
  assert.equal(named.length, 1);
});

test("a token that ends is refused from then on, says when it ended, and leaves its name", async () => {
  const deps = peopleDeps(store);
  const expiresAt = deps.clock.now() + 3_600_000;
  const details = { name: fresh("ends"), role: "operator" as const, accountId: null };
  const made = await createManagementToken(deps, { ...details, expiresAt });
  assert.ok(made);
  const seen = async () => (await authenticateToken(deps, made.token))?.kind;
  await deps.clock.advance(3_599_999);
  assert.equal(await seen(), "token");
  assert.equal(await createManagementToken(deps, details), null);
  await deps.clock.advance(1);
  assert.deepEqual(await authenticateToken(deps, made.token), { kind: "expired", at: expiresAt });
  assert.ok(await createManagementToken(deps, details));
  assert.equal(await seen(), undefined, "the name's earlier token is gone");
});

test("the last use is noted once a minute, however many requests come, and by requests alone", async () => {
  const { token, row, deps } = await made();
  const noted = async () => {
    // The one writer has what is asked next behind it.
    await revokeToken(deps, "tok_none");
    const rows = await managementTokens(store.database, { before: null, limit: 200 });
    return rows.find(({ id }) => id === row.id)?.last_used_at;
  };
  const start = deps.clock.now();
  await authenticateToken(deps, token, { unattended: true });
  assert.equal(await noted(), null);
  const use = async () => {
    await Promise.all(Array.from({ length: 5 }, () => authenticateToken(deps, token)));
    return await noted();
  };
  assert.equal(await use(), start);
  await deps.clock.advance(59_999);
  assert.equal(await use(), start);
  await deps.clock.advance(1);
  assert.equal(await use(), start + 60_000);
});
