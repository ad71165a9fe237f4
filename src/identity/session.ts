// Sessions of users: a random secret in a cookie, its hash in the database. Sessions are not cached, so one that was
// replaced, ended or idle for too long is invalid in every process at once.

import { createHmac } from "node:crypto";
import type { Core } from "#core/core.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import type { Clock } from "#runtime/runtime.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import { endSession, findSession, startSession, touchSession } from "#store/identity/users.ts";
import type { UsersTable } from "#store/schema/identity.ts";
import type { Principal } from "./principal.ts";

const hour = 3_600_000;
/** A session ends after this long without a request. */
export const sessionIdleMs = 12 * hour;
/** A session ends after this long in any case. */
export const maxSessionMs = 7 * 24 * hour;
/** How long a sign-in counts as recent, for operations that require one. */
export const recentSignInMs = 600_000;
/** The time of the last request is stored this often, at most. */
const touchIntervalMs = 60_000;

const shape = /^[A-Za-z0-9_-]{43}$/;

/** The principal of a session, and the token by which a browser proves that a request comes from our own pages. */
export interface Session {
  principal: Principal;
  /** Whether the user entered the password in the last ten minutes. */
  recentlySignedIn: boolean;
  csrfToken: string;
}

/** Derived from the session's secret, so it is not stored; the secret cannot be derived from it. */
export function csrfTokenFor(secret: string): string {
  return createHmac("sha256", secret).update("csrf").digest("base64url");
}

/** Whether this is the session's CSRF token, compared in constant time. */
export function isCsrfToken(session: Session, token: string): boolean {
  return constantTimeEqual(token, session.csrfToken);
}

type SessionDeps = Pick<Core, "clock" | "database" | "random">;

/**
 * Starts a session for a user whose password was just verified, and ends the one that the browser had (`replaced`, its secret). Null if the
 * user was disabled or the password was changed meanwhile.
 */
export async function beginSession(
  deps: SessionDeps,
  user: Pick<UsersTable, "id" | "password">,
  replaced: string | null,
): Promise<string | null> {
  const secret = newSecret(deps.random);
  const now = deps.clock.now();
  const started = await deps.database.run(startSession, {
    session: {
      hash: hashSecret(secret),
      user_id: user.id,
      created_at: now,
      seen_at: now,
      expires_at: now + maxSessionMs,
    },
    password: user.password,
    replaces: replaced === null ? null : hashSecret(replaced),
    idleSince: now - sessionIdleMs,
  });
  return started ? secret : null;
}

/**
 * The session with this secret; records its use, unless a program repeats its request by itself (`unattended`). Null if there is no such
 * session, or it has ended.
 */
export async function resumeSession(
  deps: { database: Database; clock: Clock },
  secret: string,
  { unattended = false }: { unattended?: boolean } = {},
): Promise<Session | null> {
  if (!shape.test(secret)) return null;
  const { database, clock } = deps;
  const hash = hashSecret(secret);
  const now = clock.now();
  const row = await database.run(findSession, { hash, now, idleSince: now - sessionIdleMs });
  if (row === null) return null;
  if (!unattended && now - row.seen_at >= touchIntervalMs) {
    // A failed write does not end the request: the session only expires earlier.
    await database.run(touchSession, { hash, at: now }).catch(() => {});
  }
  return {
    principal: {
      kind: "user",
      id: row.id,
      name: row.email,
      role: row.role,
      accountId: row.account_id,
      scopes: null,
    },
    // A clock that was set back does not make an old sign-in recent.
    recentlySignedIn: now >= row.created_at && now - row.created_at <= recentSignInMs,
    csrfToken: csrfTokenFor(secret),
  };
}

/** Ends a session. A second call has no effect. */
export async function signOut(database: Database, secret: string): Promise<void> {
  await database.run(endSession, hashSecret(secret));
}
