// One-time links with which users choose their passwords, so that no operator knows them. The holder of a link counts as the user.

import type { Core } from "#core/core.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import {
  consumeUserSetupLink,
  findUserOfSetupLink,
  storeUserSetupLink,
} from "#store/identity/user-setup-links.ts";
import { audit } from "./audit.ts";
import { createDeviceToken } from "./device.ts";
import { type HashingBusy, passwordIssue } from "./password.ts";
import { beginSession } from "./session.ts";
import type { NewSession, SignInDeps } from "./sign-in.ts";

/** How long a link works, ms. */
export const userSetupLinkTtlMs = 86_400_000;

type CreateUserSetupCodeResult =
  | { kind: "created"; code: string; expiresAt: number }
  /** The user is disabled. */
  | { kind: "off" }
  | { kind: "not_found" };

/** A new code for the link of a user, `tlu_` and 43 characters, valid once and for 24 hours. It replaces the user's earlier one. */
export async function createUserSetupCode(
  deps: Pick<Core, "clock" | "database" | "random">,
  userId: string,
): Promise<CreateUserSetupCodeResult> {
  const code = `tlu_${newSecret(deps.random)}`;
  const now = deps.clock.now();
  const expiresAt = now + userSetupLinkTtlMs;
  const link = { user_id: userId, hash: hashSecret(code), created_at: now, expires_at: expiresAt };
  const kind = await deps.database.run(storeUserSetupLink, link);
  return kind === "stored" ? { kind: "created", code, expiresAt } : { kind };
}

/** The user whose link has this code; null if it is wrong, was used or has expired, or the user is disabled. */
export function userOfSetupCode(deps: { database: Database; clock: Core["clock"] }, code: string) {
  return deps.database.run(findUserOfSetupLink, { hash: hashSecret(code), now: deps.clock.now() });
}

type SetUpUserResult =
  | ({ kind: "set_up" } & NewSession)
  | { kind: "wrong_code" }
  | { kind: "invalid"; message: string }
  | { kind: HashingBusy };

/** Consumes the code of a user's link: stores the password that the user chose, and signs the user in. */
export async function setUpUser(
  deps: SignInDeps,
  input: { code: string; password: string; replaced: string | null },
): Promise<SetUpUserResult> {
  const { database, clock, passwords } = deps;
  // Before the expensive password hash: a wrong code costs one look-up.
  const user = await userOfSetupCode(deps, input.code);
  if (user === null) return { kind: "wrong_code" };
  const { id, email } = user;
  const message = passwordIssue(input.password, email);
  if (message !== null) return { kind: "invalid", message };
  const password = await passwords.hash(input.password);
  if (password === "busy") return { kind: "busy" };
  const at = clock.now();
  const hash = hashSecret(input.code);
  if (!(await database.run(consumeUserSetupLink, { userId: id, hash, password, at })))
    return { kind: "wrong_code" };
  const actor = { kind: "user" as const, id, name: email };
  await audit(deps, { actor, action: "setUpUser", target: id, outcome: "200" });
  const secret = await beginSession(deps, { id, password }, input.replaced);
  if (secret === null) return { kind: "wrong_code" };
  return { kind: "set_up", secret, device: createDeviceToken(deps.sealer, { email, password }, at) };
}
