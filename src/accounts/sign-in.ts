// Signing in and out, and changing one's own password. Whoever is refused learns nothing: an unknown address, a
// wrong password and a user who is switched off give the same answer after the same work.

import type { Clock, Random } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { changeUser, findUser, findUserByEmail } from "#store/people.ts";
import { type AuditParts, audit } from "./audit.ts";
import { type Busy, type Passwords, passwordFault } from "./password.ts";
import { beginSession } from "./session.ts";

export interface SignInParts {
  database: Database;
  clock: Clock;
  random: Random;
  newId(prefix: string): string;
  passwords: Passwords;
}

/** As it is stored and compared. */
export function emailOf(typed: string): string {
  return typed.trim().toLowerCase();
}

/** `secret`: the new session's, for the cookie. */
export type SignedIn = { kind: "signed_in"; secret: string } | { kind: "refused" } | { kind: Busy };

/** `replaced`: the secret of a session that the browser already had; it ends. */
export async function signIn(
  parts: SignInParts,
  given: { email: string; password: string; replaced: string | null },
): Promise<SignedIn> {
  const email = emailOf(given.email);
  const user = await parts.database.run(findUserByEmail, email);
  // The work is the same whether or not there is such a user, and whether or not they may come in.
  const right = await parts.passwords.verify(given.password, user?.password ?? null);
  if (right === "busy") return { kind: "busy" };
  const secret = right && user !== null ? await beginSession(parts, user, given.replaced) : null;
  await writeDown(parts, email, secret === null ? null : (user?.id ?? null));
  return secret === null ? { kind: "refused" } : { kind: "signed_in", secret };
}

/** A password lands in the wrong field now and then. */
const looksLikeAddress = /^[^\s@]+@[^\s@]+$/;

/** What somebody typed who did not get in is kept as their name: an address only, and cut. */
async function writeDown(parts: AuditParts, email: string, userId: string | null): Promise<void> {
  const name = userId !== null || looksLikeAddress.test(email) ? email : "(no e-mail address)";
  await audit(parts, {
    actor: { kind: userId === null ? "nobody" : "user", id: userId, name },
    action: "signIn",
    outcome: userId === null ? "refused" : "200",
  });
}

export type PasswordChanged =
  | { kind: "changed"; secret: string }
  | { kind: "wrong" }
  | { kind: "invalid"; message: string }
  | { kind: Busy };

/** Changes one's own password: it takes the current one, ends every session, and starts a new one. */
export async function changePassword(
  parts: SignInParts,
  userId: string,
  given: { current: string; password: string },
): Promise<PasswordChanged> {
  const { database, clock, passwords } = parts;
  const user = await database.run(findUser, userId);
  const right = await passwords.verify(given.current, user?.password ?? null);
  if (right === "busy") return { kind: "busy" };
  if (!right || user === null) return { kind: "wrong" };
  const message = passwordFault(given.password, user.email);
  if (message !== null) return { kind: "invalid", message };
  const password = await passwords.hash(given.password);
  if (password === "busy") return { kind: "busy" };
  await database.run(changeUser, { id: userId, change: { password }, at: clock.now() });
  const secret = await beginSession(parts, { id: userId, password }, null);
  return secret === null ? { kind: "wrong" } : { kind: "changed", secret };
}
