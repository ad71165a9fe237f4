// Sessions: what ends them, what proves that our own page asks, and what the database keeps.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import {
  beginSession,
  csrfTokenFor,
  isCsrfToken,
  maxSessionMs,
  recentSignInMs,
  resumeSession,
  sessionIdleMs,
  signOut,
} from "#identity/session.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { changeUser, insertUser } from "#store/identity/users.ts";
import type { UsersTable } from "#store/schema/identity.ts";
import { seededRandom } from "../harness.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { userRow } from "../store/identity/people-rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

const random = seededRandom(11);

async function started(columns: Partial<UsersTable> = {}) {
  const clock = movableClock();
  const deps = { database: store.database, clock, random };
  const user = userRow(columns);
  assert.equal(await store.database.run(insertUser, user), true);
  const secret = await beginSession(deps, user, null);
  assert.ok(secret);
  return { clock, deps, user, secret };
}

test("a session says who it is, and is new each time", async () => {
  const { deps, user, secret } = await started();
  assert.deepEqual(await resumeSession(deps, secret), {
    principal: {
      kind: "user",
      id: user.id,
      name: user.email,
      role: "operator",
      accountId: null,
      scopes: null,
    },
    recentlySignedIn: true,
    csrfToken: csrfTokenFor(secret),
  });
  assert.notEqual(await beginSession(deps, user, null), secret);
});

test("the database holds neither the secret nor the CSRF token", async () => {
  const { secret } = await started();
  const rows = JSON.stringify(await store.query("select * from sessions"));
  assert.equal(rows.includes(secret), false);
  assert.equal(rows.includes(csrfTokenFor(secret)), false);
});

test("what is no secret is not asked for, and a hash is no secret", async () => {
  const { deps } = await started();
  const [{ hash }] = (await store.query("select hash from sessions")) as [{ hash: string }];
  for (const wrong of ["", "x", hash, "a".repeat(44), "a".repeat(43)])
    assert.equal(await resumeSession(deps, wrong), null);
});

test("signing in ends the session that the browser had", async () => {
  const { deps, user, secret } = await started();
  const next = await beginSession(deps, user, secret);
  assert.equal(await resumeSession(deps, secret), null);
  assert.ok(await resumeSession(deps, next!));
});

test("leaving ends it for good", async () => {
  const { deps, secret } = await started();
  await signOut(store.database, secret);
  assert.equal(await resumeSession(deps, secret), null);
  await signOut(store.database, secret);
});

test("it ends when unused for 12 hours, and after 7 days however much it is used", async () => {
  const { clock, deps, secret } = await started();
  await clock.advance(sessionIdleMs - 1);
  assert.ok(await resumeSession(deps, secret), "used in time");
  for (let at = 2 * sessionIdleMs - 1; at < maxSessionMs; at += sessionIdleMs - 1) {
    await clock.advance(sessionIdleMs - 1);
    assert.ok(await resumeSession(deps, secret));
  }
  await clock.advance(maxSessionMs - (clock.monotonic() % maxSessionMs));
  assert.equal(await resumeSession(deps, secret), null);
  const idle = await started();
  await idle.clock.advance(sessionIdleMs);
  assert.equal(await resumeSession(idle.deps, idle.secret), null);
});

test("it is fresh for ten minutes after the password, and use does not renew that", async () => {
  const { clock, deps, secret } = await started();
  await clock.advance(recentSignInMs);
  assert.equal((await resumeSession(deps, secret))?.recentlySignedIn, true);
  await clock.advance(1);
  assert.equal((await resumeSession(deps, secret))?.recentlySignedIn, false);
  clock.setNow(0);
  assert.equal((await resumeSession(deps, secret))?.recentlySignedIn, false, "a clock set back");
});

test("role and account are those of now, and being switched off ends it", async () => {
  const { deps, user, secret, clock } = await started({ role: "operator" });
  await store.database.run(insertUser, userRow());
  let revision = 1;
  const change = (columns: object) =>
    store.database.run(changeUser, { id: user.id, revision: revision++, change: columns, at: clock.now() });
  await change({ role: "member" });
  assert.equal((await resumeSession(deps, secret))?.principal.role, "member");
  await change({ active: 0 });
  assert.equal(await resumeSession(deps, secret), null);
  await change({ active: 1 });
  assert.equal(await resumeSession(deps, secret), null, "nor does it come back");
});

test("no session starts with a password that was changed while it was checked", async () => {
  const { deps, user } = await started();
  assert.equal(await beginSession(deps, { id: user.id, password: "the old one" }, null), null);
});

test("the CSRF token is the session's alone", async () => {
  const { deps, secret } = await started();
  const session = (await resumeSession(deps, secret))!;
  assert.equal(isCsrfToken(session, csrfTokenFor(secret)), true);
  for (const wrong of ["", secret, csrfTokenFor(`${secret}x`), `${csrfTokenFor(secret)} `])
    assert.equal(isCsrfToken(session, wrong), false);
});
