// Signing in and out, and changing one's own password. Whoever is refused learns nothing: an unknown address, a
// wrong password and a user who is switched off give the same answer after the same work.

import type { Core } from "#core/core.ts";
import { changeUser, findUser, findUserByEmail } from "#store/identity/users.ts";
import { type AuditParts, audit } from "./audit.ts";
import { createDeviceToken, hasCurrentPassword, readDeviceToken } from "./device.ts";
import { type HashingBusy, type PasswordHasher, passwordIssue } from "./password.ts";
import { beginSession } from "./session.ts";

export interface SignInParts extends Pick<Core, "clock" | "database" | "newId" | "random" | "sealer"> {
  passwords: PasswordHasher;
}

/** Counts the attempts of one client. Each takes one attempt and tells the ms to wait; 0: it may be made. */
export interface SignInThrottle {
  /** By a browser that the user has signed in with before; `device` names it. */
  knownDevice(device: string): number;
  /** By any other, at this e-mail address. */
  unknownDevice(email: string): number;
  /** The password of a stranger's attempt was wrong. */
  recordFailure(email: string): void;
}

/** As it is stored and compared. */
export function normaliseEmail(typed: string): string {
  return typed.trim().toLowerCase();
}

/** `secret`: the new session's, for its cookie. `device`: makes the browser known from now on, for the other one. */
export interface NewSession {
  secret: string;
  device: string;
}

export type SignInResult =
  | ({ kind: "signed_in" } & NewSession)
  | { kind: "refused" }
  | { kind: "too_many"; retryAfterMs: number }
  | { kind: HashingBusy };

/**
 * `replaced`: the secret of a session that the browser already had; it ends. `device`: what the browser shows to be
 * known by, if anything.
 */
export async function signIn(
  parts: SignInParts,
  given: { email: string; password: string; replaced: string | null; device: string | null },
  attempts: SignInThrottle,
): Promise<SignInResult> {
  const { database, sealer, clock, passwords } = parts;
  const email = normaliseEmail(given.email);
  const device = readDeviceToken(sealer, given.device, email, clock.now());
  const wait = device === null ? attempts.unknownDevice(email) : attempts.knownDevice(device.id);
  if (wait > 0) return { kind: "too_many", retryAfterMs: wait };
  const user = await database.run(findUserByEmail, email);
  const known = device !== null && user !== null && hasCurrentPassword(sealer, device, user);
  if (device !== null && !known) {
    // The password was changed since: whoever has the cookie is a stranger again.
    const longer = attempts.unknownDevice(email);
    if (longer > 0) return { kind: "too_many", retryAfterMs: longer };
  }
  // The work is the same whether or not there is such a user, and whether or not they may come in.
  const right = await passwords.verify(given.password, user?.password ?? null, known ? "known" : "stranger");
  if (right === "busy") return { kind: "busy" };
  const secret = right && user !== null ? await beginSession(parts, user, given.replaced) : null;
  if (secret === null && !known) attempts.recordFailure(email);
  await auditSignIn(parts, email, secret === null ? null : (user?.id ?? null));
  if (secret === null || user === null) return { kind: "refused" };
  return { kind: "signed_in", secret, device: createDeviceToken(sealer, user, clock.now()) };
}

/** A password lands in the wrong field now and then. */
const looksLikeAddress = /^[^\s@]+@[^\s@]+$/;

/** What somebody typed who did not get in is kept as their name: an address only, and cut. */
async function auditSignIn(parts: AuditParts, email: string, userId: string | null): Promise<void> {
  const name = userId !== null || looksLikeAddress.test(email) ? email : "(no e-mail address)";
  await audit(parts, {
    actor: { kind: userId === null ? "nobody" : "user", id: userId, name },
    action: "signIn",
    outcome: userId === null ? "refused" : "200",
  });
}

export type ChangePasswordResult =
  | ({ kind: "changed" } & NewSession)
  | { kind: "wrong" }
  | { kind: "invalid"; message: string }
  | { kind: HashingBusy };

/**
 * Changes one's own password: it takes the current one, ends every session, and starts a new one. No browser is known
 * any more but this one.
 */
export async function changePassword(
  parts: SignInParts,
  userId: string,
  given: { current: string; password: string },
): Promise<ChangePasswordResult> {
  const { database, clock, passwords } = parts;
  const user = await database.run(findUser, userId);
  const right = await passwords.verify(given.current, user?.password ?? null, "known");
  if (right === "busy") return { kind: "busy" };
  if (!right || user === null) return { kind: "wrong" };
  const message = passwordIssue(given.password, user.email);
  if (message !== null) return { kind: "invalid", message };
  const password = await passwords.hash(given.password);
  if (password === "busy") return { kind: "busy" };
  await database.run(changeUser, { id: userId, change: { password }, at: clock.now() });
  const secret = await beginSession(parts, { id: userId, password }, null);
  if (secret === null) return { kind: "wrong" };
  const device = createDeviceToken(parts.sealer, { email: user.email, password }, clock.now());
  return { kind: "changed", secret, device };
}
