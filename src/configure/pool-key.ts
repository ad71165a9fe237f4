// The keys of a pool. The SHA-256 of a key is stored; the text of a generated key is shown once.

import { maxPoolKeys } from "#contract/limits.ts";
import { withChoice } from "#contract/manage/pools/budgets.ts";
import { type KeyFields, keyFields, keyRules } from "#contract/manage/pools/keys.ts";
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import { cancelKeyless } from "#store/pools/deferred-completions.ts";
import { findPoolKey, revokePoolKey, rotatePoolKey as rotate, savePoolKey } from "#store/pools/keys.ts";
import type { PoolKeysTable } from "#store/schema/pools.ts";
import type { PoolRef } from "./pool-member.ts";
import { type ConfigureDeps, defineResource } from "./resource.ts";

export type PoolDeps = ConfigureDeps & Pick<Core, "random">;

/** Both ends of a key, at most a quarter of it: four characters of each end, fewer of a short key. */
export function maskedKey(text: string): string {
  const shown = Math.min(4, Math.floor(text.length / 8));
  return `${text.slice(0, shown)}…${text.slice(-shown)}`;
}

/**
 * The columns of a key's text. Without a text, an existing key keeps its own. A revoked key becomes valid again only with another
 * text; changes of other fields do not revive it.
 */
function textColumns(text: string | undefined, existing: PoolKeysTable | null) {
  const hash = text === undefined ? existing?.hash : hashSecret(text);
  if (hash === undefined) throw new Error("A new key has a text.");
  if (text === undefined || hash === existing?.hash)
    return {
      hash,
      hint: existing!.hint,
      revoked_at: existing!.revoked_at,
      previous_hash: existing!.previous_hash,
      previous_works_until: existing!.previous_works_until,
    };
  return {
    hash,
    hint: maskedKey(text),
    revoked_at: null,
    previous_hash: null,
    previous_works_until: null,
  };
}

const revokedRefusal = { kind: "conflict", message: "The key was revoked. Create another one." } as const;

export const keys = defineResource({
  noun: "key",
  idPrefix: "key",
  fields: keyFields,
  rules: keyRules,
  columns: (fields, { accountId, poolId }: PoolRef, existing: PoolKeysTable | null) => ({
    account_id: accountId,
    pool_id: poolId,
    name: fields.name,
    expires_at: fields.expires_at === null ? null : Date.parse(fields.expires_at),
    ...textColumns(fields.key, existing),
  }),
  fieldsOf: ({ name, expires_at }) => ({
    name,
    expires_at: expires_at === null ? null : isoTime(expires_at),
  }),
  settled: (fields, before) => ({ ...fields, budget: withChoice(fields.budget, before?.budget ?? null) }),
  refusal: ({ revoked_at }) => (revoked_at === null ? null : revokedRefusal),
  find: (database, poolRef, id) => database.run(findPoolKey, { ...poolRef, id }),
  save: savePoolKey,
  taken: ["name_taken", { path: ["name"], message: "is taken" }],
  issues: {
    key_taken: { path: ["key"], message: "is used by another key" },
    too_many: {
      path: ["name"],
      message: `is one too many: a pool has ${maxPoolKeys} keys at most that are not revoked`,
    },
  },
});

/** The text that a request sets for its key, or a generated one for a key without a text (`issued`, to be shown once). */
export function keyTextOf(
  { random }: Pick<PoolDeps, "random">,
  { key }: Pick<KeyFields, "key">,
  existing: PoolKeysTable | null,
): { key: string | undefined; issued: string | null } {
  const issued = existing === null && key === undefined ? `tlp_${newSecret(random)}` : null;
  return { key: key ?? issued ?? undefined, issued };
}

const hour = 3_600_000;

/** Gives a key a new text, which is returned. The text until now works for `oldWorksHours` more. */
export async function rotatePoolKey(
  deps: PoolDeps,
  { poolRef, id, oldWorksHours }: { poolRef: PoolRef; id: string; oldWorksHours: number },
): Promise<{ kind: "rotated"; key: string } | typeof revokedRefusal | { kind: "not_found" }> {
  const key = `tlp_${newSecret(deps.random)}`;
  const at = deps.clock.now();
  const text = { hash: hashSecret(key), hint: maskedKey(key) };
  const previousWorksUntil = oldWorksHours === 0 ? null : at + oldWorksHours * hour;
  const outcome = await deps.database.run(rotate, { ...poolRef, id, at, ...text, previousWorksUntil });
  if (outcome === "revoked") return revokedRefusal;
  return outcome === "not_found" ? { kind: outcome } : { kind: outcome, key };
}

/** Maximum number of deferred completions that are cancelled in one transaction. */
const cancelledAtOnce = 100;

/**
 * Revokes a key, cancels its waiting deferred completions, and returns its row; null if the pool has no such key. The key stops working
 * within 5 s in every process. Maintenance cancels what remains after a failure, and what is accepted within these 5 s.
 */
export async function revokeKey(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  id: string,
): Promise<PoolKeysTable | null> {
  const row = await deps.database.run(revokePoolKey, { ...poolRef, id, at: deps.clock.now() });
  if (row === null) return null;
  for (;;) {
    const of = { poolId: poolRef.poolId, at: deps.clock.now(), limit: cancelledAtOnce };
    const cancelled = await deps.database.run(cancelKeyless, of);
    if (cancelled < cancelledAtOnce) return row;
  }
}
