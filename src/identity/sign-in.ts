// Sign-in, and changes of a user's own password. A refusal gives no information: an unknown address, a wrong password and an inactive user
// get the same answer after the same work.

import type { Core } from "#core/core.ts";
import { changeUser, findUser, findUserByEmail } from "#store/identity/users.ts";
import type { Overtaken } from "#store/revision.ts";
import { type AuditDeps, audit } from "./audit.ts";
import { createDeviceToken, hasCurrentPassword, readDeviceToken } from "./device.ts";
import { type HashingBusy, type PasswordHasher, passwordIssue } from "./password.ts";
import { beginSession } from "./session.ts";

export interface SignInDeps extends Pick<Core, "clock" | "database" | "newId" | "random" | "sealer"> {
  passwords: PasswordHasher;
}

/** Counts the sign-in attempts of one client. Each method counts one attempt and returns how long to wait, ms; 0 to proceed. */
export interface SignInThrottle {
  /** An attempt in a browser in which the user has signed in before; `device` is its id. */
  knownDevice(device: string): number;
  /** An attempt in any other browser, for this email address. */
  unknownDevice(email: string): number;
  /** The password of an attempt in an unknown browser was wrong. */
  recordFailure(email: string): void;
}

/** An email address as it is stored and compared. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The values of two cookies. `secret`: of the new session. `device`: makes this browser a known one. */
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
 * Signs a user in. `replaced`: the secret of a session that the browser already had; that session ends. `device`: the
 * device token of the browser, if it has one.
 */
export async function signIn(
  deps: SignInDeps,
  input: { email: string; password: string; replaced: string | null; device: string | null },
  attempts: SignInThrottle,
): Promise<SignInResult> {
  const { database, sealer, clock, passwords } = deps;
  const email = normaliseEmail(input.email);
  const device = readDeviceToken(sealer, input.device, email, clock.now());
  const wait = device === null ? attempts.unknownDevice(email) : attempts.knownDevice(device.id);
  if (wait > 0) return { kind: "too_many", retryAfterMs: wait };
  const user = await database.run(findUserByEmail, email);
  const known = device !== null && user !== null && hasCurrentPassword(sealer, device, user);
  if (device !== null && !known) {
    // The password was changed since, so the browser counts as unknown again.
    const unknownWait = attempts.unknownDevice(email);
    if (unknownWait > 0) return { kind: "too_many", retryAfterMs: unknownWait };
  }
  // The same work whether or not the user exists or is active.
  const isCorrect = await passwords.verify(
    input.password,
    user?.password ?? null,
    known ? "trusted" : "anonymous",
  );
  if (isCorrect === "busy") return { kind: "busy" };
  const secret = isCorrect && user !== null ? await beginSession(deps, user, input.replaced) : null;
  if (secret === null && !known) attempts.recordFailure(email);
  await auditSignIn(deps, email, secret === null ? null : (user?.id ?? null));
  if (secret === null || user === null) return { kind: "refused" };
  return { kind: "signed_in", secret, device: createDeviceToken(sealer, user, clock.now()) };
}

/** Users sometimes type their password into the field of the address. */
const looksLikeAddress = /^[^\s@]+@[^\s@]+$/;

/** Records a sign-in. For a refused one the entry names the typed address, if it looks like one, and truncates it. */
async function auditSignIn(deps: AuditDeps, email: string, userId: string | null): Promise<void> {
  const name = userId !== null || looksLikeAddress.test(email) ? email : "(no email address)";
  await audit(deps, {
    actor: { kind: userId === null ? "anonymous" : "user", id: userId, name },
    action: "signIn",
    outcome: userId === null ? "refused" : "200",
  });
}

type ChangePasswordResult =
  | ({ kind: "changed" } & NewSession)
  | { kind: "wrong" }
  | { kind: "invalid"; message: string }
  /** The user was changed at the same moment. */
  | { kind: Overtaken }
  | { kind: HashingBusy };

/**
 * Changes the user's own password. Requires the current one, ends every session of the user, and starts a new one. All
 * other browsers of the user become unknown.
 */
export async function changePassword(
  deps: SignInDeps,
  userId: string,
  input: { current: string; password: string },
): Promise<ChangePasswordResult> {
  const { database, clock, passwords } = deps;
  const user = await database.run(findUser, userId);
  const isCorrect = await passwords.verify(input.current, user?.password ?? null, "trusted");
  if (isCorrect === "busy") return { kind: "busy" };
  if (!isCorrect || user === null) return { kind: "wrong" };
  const message = passwordIssue(input.password, user.email);
  if (message !== null) return { kind: "invalid", message };
  const password = await passwords.hash(input.password);
  if (password === "busy") return { kind: "busy" };
  const change = { id: userId, revision: user.revision, change: { password }, at: clock.now() };
  const changed = await database.run(changeUser, change);
  // The password of that revision was checked; an operator may have replaced it since.
  if (changed.kind === "overtaken") return { kind: "overtaken" };
  const secret = await beginSession(deps, { id: userId, password }, null);
  if (secret === null) return { kind: "wrong" };
  const device = createDeviceToken(deps.sealer, { email: user.email, password }, clock.now());
  return { kind: "changed", secret, device };
}
