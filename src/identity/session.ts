// Sessions of people who signed in: a random secret in a cookie, its hash in the database. A session that was
// replaced, ended or left alone for too long is dead in every process, since nothing about it is remembered elsewhere.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Core } from "#core/core.ts";
import type { Clock } from "#runtime/runtime.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import { endSession, findSession, startSession, touchSession } from "#store/identity/users.ts";
import type { UsersTable } from "#store/schema/identity.ts";
import type { Principal } from "./principal.ts";

const hour = 3_600_000;
/** A session that is not used ends. */
export const sessionIdleMs = 12 * hour;
/** However much it is used. */
export const maxSessionMs = 7 * 24 * hour;
/** How long after the password was given what takes a recent sign-in may be done. */
export const recentSignInMs = 600_000;
/** Use is written down this often at most. */
const touchIntervalMs = 60_000;

const shape = /^[A-Za-z0-9_-]{43}$/;

/** What somebody may do in a session, and how the browser proves that our own pages ask. */
export interface Session {
  principal: Principal;
  /** Whether the password was given in the last ten minutes. */
  recentlySignedIn: boolean;
  csrfToken: string;
}

/** Follows from the session's secret, so nothing more is kept; the secret does not follow from it. */
export function csrfTokenFor(secret: string): string {
  return createHmac("sha256", secret).update("csrf").digest("base64url");
}

/** Whether this is the session's CSRF token, in a time that tells nothing. */
export function isCsrfToken(session: Session, given: string): boolean {
  const wanted = Buffer.from(session.csrfToken);
  const asked = Buffer.from(given);
  return asked.length === wanted.length && timingSafeEqual(asked, wanted);
}

type SessionParts = Pick<Core, "clock" | "database" | "random">;

/**
 * Starts a session for a user whose password was just checked, in place of the one that the browser had
 * (`replaced`, its secret). Null: meanwhile the user was switched off or got another password.
 */
export async function beginSession(
  parts: SessionParts,
  user: Pick<UsersTable, "id" | "password">,
  replaced: string | null,
): Promise<string | null> {
  const secret = newSecret(parts.random);
  const now = parts.clock.now();
  const started = await parts.database.run(startSession, {
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

/** The session with this secret, which counts as used now. Null: there is none, or it has ended. */
export async function resumeSession(
  parts: { database: Database; clock: Clock },
  secret: string,
): Promise<Session | null> {
  if (!shape.test(secret)) return null;
  const { database, clock } = parts;
  const hash = hashSecret(secret);
  const now = clock.now();
  const row = await database.run(findSession, { hash, now, idleSince: now - sessionIdleMs });
  if (row === null) return null;
  if (now - row.seen_at >= touchIntervalMs) {
    // Reading goes on while storage takes no writes; then the session only ends sooner.
    await database.run(touchSession, { hash, at: now }).catch(() => {});
  }
  return {
    principal: { kind: "user", id: row.id, name: row.email, role: row.role, accountId: row.account_id },
    // A clock that was set back makes nothing fresh again.
    recentlySignedIn: now >= row.created_at && now - row.created_at <= recentSignInMs,
    csrfToken: csrfTokenFor(secret),
  };
}

/** Ends a session; again is fine. */
export async function signOut(database: Database, secret: string): Promise<void> {
  await database.run(endSession, hashSecret(secret));
}
