// Making operators without one: by a code that only somebody at the machine can have made. Nothing else lets a
// stranger in, and there is no first password that everybody knows.

import type { Clock, Random } from "#runtime/runtime.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import { findSetupCode, keepSetupCode, spendSetupCode } from "#store/identity/users.ts";
import { audit } from "./audit.ts";
import { createDeviceToken } from "./device.ts";
import type { HashingBusy } from "./password.ts";
import { passwordIssue } from "./password.ts";
import { beginSession } from "./session.ts";
import { type NewSession, normaliseEmail, type SignInParts } from "./sign-in.ts";

/** How long a code works, ms. */
export const setupCodeTtlMs = 86_400_000;

/** A code for one e-mail address is kept under both, so that it is of no use with another. */
function bound(code: string, email: string): string {
  return hashSecret(`${code} ${email}`);
}

/**
 * A new code, `tls_` and 43 characters, that works once and for 24 hours. With an e-mail address it works for that
 * one alone, and then also for somebody who has it already: that is how an operator who lost the password comes back.
 */
export async function createSetupCode(
  parts: { database: Database; clock: Clock; random: Random },
  email?: string,
): Promise<string> {
  const code = `tls_${newSecret(parts.random)}`;
  const now = parts.clock.now();
  const hash = email === undefined ? hashSecret(code) : bound(code, normaliseEmail(email));
  await parts.database.run(keepSetupCode, { hash, created_at: now, expires_at: now + setupCodeTtlMs });
  return code;
}

export type SetUpResult =
  | ({ kind: "set_up" } & NewSession)
  | { kind: "wrong_code" }
  /** The e-mail address is a user's, and the code is not for it. */
  | { kind: "taken" }
  | { kind: "invalid"; message: string }
  | { kind: HashingBusy };

/** Spends a code: makes its operator and signs them in. */
export async function setUp(
  parts: SignInParts,
  given: { code: string; email: string; name: string; password: string; replaced: string | null },
): Promise<SetUpResult> {
  const { database, clock, passwords, newId } = parts;
  const email = normaliseEmail(given.email);
  const forEmail = bound(given.code, email);
  const hashes = [hashSecret(given.code), forEmail];
  // Before the expensive hash: a wrong code costs us a look-up.
  const hash = await database.run(findSetupCode, { hashes, now: clock.now() });
  if (hash === null) return { kind: "wrong_code" };
  const message = passwordIssue(given.password, email);
  if (message !== null) return { kind: "invalid", message };
  const password = await passwords.hash(given.password);
  if (password === "busy") return { kind: "busy" };
  const at = clock.now();
  const user = {
    id: newId("usr"),
    email,
    name: given.name,
    role: "operator" as const,
    account_id: null,
    password,
    active: 1 as const,
    created_at: at,
    updated_at: at,
    signed_in_at: null,
  };
  const spent = await database.run(spendSetupCode, { hash, user, recovers: hash === forEmail, at });
  if (spent.kind !== "made") return { kind: spent.kind };
  const actor = { kind: "user" as const, id: spent.id, name: email };
  await audit(parts, { actor, action: "setUp", target: spent.id, outcome: "200" });
  const secret = await beginSession(parts, { id: spent.id, password }, given.replaced);
  if (secret === null) return { kind: "wrong_code" };
  return { kind: "set_up", secret, device: createDeviceToken(parts.sealer, { email, password }, at) };
}
