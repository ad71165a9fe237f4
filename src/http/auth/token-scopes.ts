// Which scope of a management token an operation of the management API needs. The area follows from its tag, except for operations listed
// under the tag of another area.

import { isReadOnly, type ScopeArea, type TokenScope } from "#contract/manage/keys/token-scopes.ts";
import { type Problem, problem } from "#contract/problem.ts";
import type { Head } from "#http/call.ts";
import type { Principal } from "#identity/principal.ts";
import { allows } from "#identity/scopes.ts";

const areaOfTag: Readonly<Record<string, ScopeArea>> = {
  Installation: "installation",
  "Users and tokens": "users",
  "Audit log": "audit",
  Accounts: "accounts",
  "Account messages": "messages",
  Gateways: "gateways",
  "Sending domains": "domains",
  Suppressions: "suppressions",
  Hooks: "hooks",
  Webhooks: "webhooks",
  Pools: "pools",
};

/** Null: a token with any scopes may call it, because it only concerns the caller. */
const areaOfName: Readonly<Record<string, ScopeArea | null>> = {
  getSession: null,
  signOut: null,
  changePassword: null,
  createSetupCode: "users",
  getPoolCallContent: "prompts",
};

/** A send and its preview. */
const sends: readonly string[] = ["sendAccountMessages", "previewAccountMessages"];

/** Users have all rights of their role, so a user created or changed with a restricted token would circumvent its scopes. */
const aboutPeople: readonly string[] = ["createUser", "updateUser", "createSetupLink", "createSetupCode"];

function areaOf({ name, tag, path }: Head): ScopeArea | null {
  const named = areaOfName[name];
  if (named !== undefined) return named;
  if (/\/accounts\/\{account\}\/api-keys?(\/|$)/.test(path)) return "keys";
  const area = areaOfTag[tag];
  if (area === undefined) throw new Error(`${path}: no scope is known for the tag ${tag}.`);
  return area;
}

/** The scope that an operation of the management API needs; null if none. */
export function scopeOf(head: Head): TokenScope | null {
  if (head.scope === "anonymous") return null;
  if (sends.includes(head.name)) return "messages:send";
  const area = areaOf(head);
  if (area === null) return null;
  if (head.method === "GET") return `${area}:read`;
  if (isReadOnly(area)) throw new Error(`${head.path}: no scope writes to the area ${area}.`);
  return `${area}:write`;
}

/** Why the scopes of the caller's token do not allow the operation; null if they do. */
export function scopeRefusal(head: Head, { scopes }: Principal): Problem | null {
  if (scopes === null) return null;
  const needed = scopeOf(head);
  if (needed !== null && !allows(scopes, needed))
    return problem("forbidden", { message: `This token lacks the scope ${needed}.` });
  if (!aboutPeople.includes(head.name)) return null;
  return problem("forbidden", {
    message: "A token with scopes cannot create or change users, who have every right of their role.",
  });
}
