// Finds the account of an API key. Results are cached for a few seconds: a burst of requests costs one look-up, and a regenerated key or a
// changed account still takes effect quickly in every process. The time of last use is stored along with the look-up, at most once a
// minute; no request waits for it.

import { namedKeyRules } from "#contract/manage/keys/named-keys.ts";
import { readFields } from "#contract/resource-schema.ts";
import { contentsOf } from "#gateways/registry.ts";
import type { Clock } from "#runtime/runtime.ts";
import { hashSecret } from "#runtime/secret.ts";
import type { AccountRow } from "#store/accounts/accounts.ts";
import { findKeyHolder, type KeyHolder, noteKeyUse } from "#store/accounts/named-keys.ts";
import type { Database } from "#store/database.ts";
import type { Account, MailTerms } from "./account.ts";

/** Well below the 5 s within which a regenerated key must stop working. */
const ttlMs = 3_000;
/** Bounds the memory under a flood of wrong keys; the oldest entries go first. */
const maxEntries = 10_000;

/** How old the stored time of last use may get while the key is in use. */
const useIsNotedMs = 60_000;

const maxKeyLength = 512;

/** The owner of a key. */
interface Found {
  account: Account;
  /** When the key stops working, epoch ms; null if it does not expire. */
  endsAt: number | null;
}

export interface Authenticator {
  /** The account of a key; null if no account has this key, or if it has expired. */
  authenticate(apiKey: string): Promise<Account | null>;
  /** Empties the cache: an account or a key changed in this process. */
  invalidate(): void;
}

export function createAuthenticator(deps: { database: Database; clock: Clock }): Authenticator {
  const { database, clock } = deps;
  const cache = new Map<string, { at: number; found: Promise<Found | null> }>();

  async function find(hash: string): Promise<Found | null> {
    const holder = await database.run(findKeyHolder, hash);
    if (holder === null) return null;
    const { named, lastUsedAt, endsAt } = holder;
    const now = clock.now();
    const isCurrent = lastUsedAt !== null && Math.abs(now - lastUsedAt) < useIsNotedMs;
    // Times of use that are lost while storage is away are stored with the next look-up.
    if (!isCurrent && !hasEnded(endsAt, now))
      database.run(noteKeyUse, { keyId: named?.id ?? null, hash, at: now }).catch(() => {});
    return { account: accountOf(holder), endsAt };
  }

  return {
    authenticate: async (apiKey) => {
      // No key is longer, and hashing megabytes is expensive.
      if (apiKey.length > maxKeyLength) return null;
      const found = await cached(apiKey);
      return found === null || hasEnded(found.endsAt, clock.now()) ? null : found.account;
    },
    invalidate: () => cache.clear(),
  };

  function cached(apiKey: string): Promise<Found | null> {
    const now = clock.monotonic();
    // Cached by the whole key: with a part of it, or a short hash, two accounts could collide.
    const entry = cache.get(apiKey);
    if (entry && now - entry.at < ttlMs) return entry.found;
    const found = find(hashSecret(apiKey));
    cache.delete(apiKey);
    if (cache.size >= maxEntries) cache.delete(cache.keys().next().value as string);
    cache.set(apiKey, { at: now, found });
    // A failed look-up is not cached.
    found.catch(() => cache.delete(apiKey));
    return found;
  }
}

const hasEnded = (endsAt: number | null, now: number) => endsAt !== null && endsAt <= now;

/** The account with the rights of this key. */
function accountOf({ account: row, named }: KeyHolder): Account {
  const account = accountFromRow(row);
  if (named === null) return account;
  const { scopes, gateways, requests_per_minute } = readFields(namedKeyRules, JSON.parse(named.rules));
  // Gateways that the key may not use do not exist for it, however a gateway is chosen.
  const allowed = account.gateways.filter(({ identifier }) => gateways?.includes(identifier) ?? true);
  const ids = allowed.map(({ id }) => id);
  return {
    ...account,
    gateways: allowed,
    ...(gateways === null ? {} : { gatewayIds: ids }),
    ...(scopes.includes("read:own") && !scopes.includes("read") ? { readableGatewayIds: ids } : {}),
    key: {
      id: named.id,
      scopes,
      boundToGateways: gateways !== null,
      requestsPerMinute: requests_per_minute,
    },
  };
}

export function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    timeZone: row.time_zone,
    country: row.country,
    plan: { name: row.plan_name, expiresAt: row.plan_expires_at },
    requestsPerMinute: row.requests_per_minute,
    attachments: { maxFiles: row.attachment_files, maxBytes: row.attachment_bytes },
    gateways: row.gateways.map((gateway) => ({
      id: gateway.id,
      identifier: gateway.identifier,
      channel: gateway.channel,
      kind: gateway.kind,
      contents: contentsOf(gateway.kind, gateway.channel),
      active: gateway.active === 1 && gateway.draining_at === null,
      isDraining: gateway.draining_at !== null,
      isDefault: gateway.is_default === 1,
      test: gateway.test === 1,
      ...(gateway.counting === null ? {} : { counting: gateway.counting }),
      ...(gateway.mail_sender === null ? {} : { mail: JSON.parse(gateway.mail_sender) as MailTerms }),
    })),
  };
}
