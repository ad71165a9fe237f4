// Named API keys of an account. The SHA-256 of a key is stored; its text is shown once.

import type { Issue } from "#contract/issue.ts";
import { maxNamedKeys } from "#contract/limits.ts";
import { type NamedKeyFields, namedKeyFields, namedKeyRules } from "#contract/manage/keys/named-keys.ts";
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import {
  findNamedKey,
  revokeNamedKey as revoke,
  rotateNamedKey as rotate,
  saveNamedKey,
} from "#store/accounts/named-keys.ts";
import type { NamedKeysTable } from "#store/schema/keys.ts";
import { maskedKey } from "./pool-key.ts";
import { type ConfigureDeps, defineResource } from "./resource.ts";

/** The owner of the key, and the text of a new one. */
interface KeyOwner {
  accountId: string;
  text?: string;
}

const hour = 3_600_000;

const revokedRefusal = { kind: "conflict" as const, message: "The key was revoked. Create another one." };

function textOf({ text }: KeyOwner): Pick<NamedKeysTable, "hash" | "hint"> {
  if (text === undefined) throw new Error("A new key has a text.");
  return { hash: hashSecret(text), hint: maskedKey(text) };
}

/** The same message for gateways of other accounts and for names without a gateway, so that it does not reveal which names others use. */
async function gatewayIssues(
  { gateways, scopes }: NamedKeyFields,
  { database }: Pick<ConfigureDeps, "database">,
  { accountId }: KeyOwner,
  before: NamedKeyFields | null,
): Promise<Issue[]> {
  if (gateways === null)
    return scopes.includes("read:own")
      ? [{ path: ["gateways"], message: "must name gateways, because the scope read:own is about theirs" }]
      : [];
  const account = await database.run(findAccount, accountId);
  // A gateway that was deleted since may stay in the list.
  const known = new Set([
    ...(account?.gateways ?? []).map(({ identifier }) => identifier),
    ...(before?.gateways ?? []),
  ]);
  return gateways.flatMap((identifier, index) =>
    known.has(identifier)
      ? []
      : [{ path: ["gateways", index], message: `is no gateway of the account: ${identifier}` }],
  );
}

export const namedKeys = defineResource({
  noun: "key",
  idPrefix: "apk",
  fields: namedKeyFields,
  rules: namedKeyRules,
  columns: (fields, owner: KeyOwner, existing: NamedKeysTable | null) => ({
    account_id: owner.accountId,
    name: fields.name,
    expires_at: fields.expires_at === null ? null : Date.parse(fields.expires_at),
    previous_hash: existing?.previous_hash ?? null,
    previous_works_until: existing?.previous_works_until ?? null,
    revoked_at: existing?.revoked_at ?? null,
    last_used_at: existing?.last_used_at ?? null,
    ...(existing === null ? textOf(owner) : { hash: existing.hash, hint: existing.hint }),
  }),
  fieldsOf: ({ name, expires_at }) => ({
    name,
    expires_at: expires_at === null ? null : isoTime(expires_at),
  }),
  check: gatewayIssues,
  refusal: ({ revoked_at }) => (revoked_at === null ? null : revokedRefusal),
  find: (database, { accountId }, id) => database.run(findNamedKey, { accountId, id }),
  save: saveNamedKey,
  taken: ["name_taken", { path: ["name"], message: "is taken" }],
  issues: {
    too_many: {
      path: ["name"],
      message: `is one too many: an account has ${maxNamedKeys} keys at most that are not revoked`,
    },
  },
});

/** A new text of a key, `tl_` and 43 characters. */
export const newKeyText = ({ random }: Pick<Core, "random">) => `tl_${newSecret(random)}`;

/** Gives a key a new text, which is returned. The previous one works for `oldWorksHours` more. */
export async function rotateNamedKey(
  deps: ConfigureDeps & Pick<Core, "random">,
  { accountId, id, oldWorksHours }: { accountId: string; id: string; oldWorksHours: number },
): Promise<{ kind: "rotated"; key: string } | typeof revokedRefusal | { kind: "not_found" }> {
  const key = newKeyText(deps);
  const at = deps.clock.now();
  const text = { hash: hashSecret(key), hint: maskedKey(key) };
  const previousWorksUntil = oldWorksHours === 0 ? null : at + oldWorksHours * hour;
  const outcome = await deps.database.run(rotate, { accountId, id, at, ...text, previousWorksUntil });
  if (outcome === "revoked") return revokedRefusal;
  if (outcome === "not_found") return { kind: outcome };
  return { kind: outcome, key };
}

/** Revokes a key, which stops working within 5 s in every process. False if the account has no such key. */
export async function revokeNamedKey(deps: ConfigureDeps, accountId: string, id: string): Promise<boolean> {
  return await deps.database.run(revoke, { accountId, id, at: deps.clock.now() });
}
