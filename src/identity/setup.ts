// Creates the first operator with a set-up code, which only a person with access to the machine can generate. There is no
// default password.

import type { Clock, Random } from "#runtime/runtime.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import { consumeSetupCode, findSetupCode, storeSetupCode } from "#store/identity/users.ts";
import { audit } from "./audit.ts";
import { createDeviceToken } from "./device.ts";
import type { HashingBusy } from "./password.ts";
import { passwordIssue } from "./password.ts";
import { beginSession } from "./session.ts";
import { type NewSession, normaliseEmail, type SignInDeps } from "./sign-in.ts";

/** How long a code is valid, ms. */
export const setupCodeTtlMs = 86_400_000;

/** The hash of a code for one email address covers both, so that the code does not work with another address. */
function hashForEmail(code: string, email: string): string {
  return hashSecret(`${code} ${email}`);
}

/**
 * A new code, `tls_` and 43 characters, valid once and for 24 hours. A code for an email address works for that address only, even if a
 * user already has it: this is how an operator who lost the password regains access.
 */
export async function createSetupCode(
  deps: { database: Database; clock: Clock; random: Random },
  email?: string,
): Promise<string> {
  const code = `tls_${newSecret(deps.random)}`;
  const now = deps.clock.now();
  const hash = email === undefined ? hashSecret(code) : hashForEmail(code, normaliseEmail(email));
  await deps.database.run(storeSetupCode, { hash, created_at: now, expires_at: now + setupCodeTtlMs });
  return code;
}

type SetUpResult =
  | ({ kind: "set_up" } & NewSession)
  | { kind: "wrong_code" }
  /** A user has the email address, and the code is not for it. */
  | { kind: "taken" }
  | { kind: "invalid"; message: string }
  | { kind: HashingBusy };

/** Consumes a code: creates its operator and signs them in. */
export async function setUp(
  deps: SignInDeps,
  input: { code: string; email: string; name: string; password: string; replaced: string | null },
): Promise<SetUpResult> {
  const { database, clock, passwords, newId } = deps;
  const email = normaliseEmail(input.email);
  const forEmail = hashForEmail(input.code, email);
  const hashes = [hashSecret(input.code), forEmail];
  // Before the expensive password hash: a wrong code costs one look-up.
  const hash = await database.run(findSetupCode, { hashes, now: clock.now() });
  if (hash === null) return { kind: "wrong_code" };
  const message = passwordIssue(input.password, email);
  if (message !== null) return { kind: "invalid", message };
  const password = await passwords.hash(input.password);
  if (password === "busy") return { kind: "busy" };
  const at = clock.now();
  const user = {
    id: newId("usr"),
    email,
    name: input.name,
    role: "operator" as const,
    account_id: null,
    password,
    active: 1 as const,
    revision: 1,
    created_at: at,
    updated_at: at,
    signed_in_at: null,
  };
  const consumed = await database.run(consumeSetupCode, { hash, user, recovers: hash === forEmail, at });
  if (consumed.kind !== "made") return { kind: consumed.kind };
  const actor = { kind: "user" as const, id: consumed.id, name: email };
  await audit(deps, { actor, action: "setUp", target: consumed.id, outcome: "200" });
  const secret = await beginSession(deps, { id: consumed.id, password }, input.replaced);
  if (secret === null) return { kind: "wrong_code" };
  return { kind: "set_up", secret, device: createDeviceToken(deps.sealer, { email, password }, at) };
}
