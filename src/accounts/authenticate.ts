// Finds the account of an API key. Results are cached for a few seconds: a burst of requests costs one look-up, and a
// regenerated key or a changed account still takes effect in every process soon.

import { contentsOf } from "#gateways/registry.ts";
import type { Clock } from "#runtime/runtime.ts";
import { hashSecret } from "#runtime/secret.ts";
import { type AccountRow, findAccountByKey } from "#store/accounts/accounts.ts";
import type { Database } from "#store/database.ts";
import type { Account } from "./account.ts";

/** Well below the 5 s within which a regenerated key stops working. */
const ttlMs = 3_000;
/** Bounds the memory under a flood of wrong keys; the oldest entries go first. */
const maxEntries = 10_000;

const maxKeyLength = 512;

export interface Authenticator {
  /** The account of a key; null when no account has this key. */
  authenticate(apiKey: string): Promise<Account | null>;
  /** Empties the cache: an account or a key changed in this process. */
  invalidate(): void;
}

export function createAuthenticator(deps: { database: Database; clock: Clock }): Authenticator {
  const { database, clock } = deps;
  const cache = new Map<string, { at: number; account: Promise<Account | null> }>();
  return {
    authenticate: (apiKey) => {
      // No key is longer, and hashing megabytes is expensive.
      if (apiKey.length > maxKeyLength) return Promise.resolve(null);
      const now = clock.monotonic();
      // Cached by the whole key: with a part of it, or a short hash, two accounts could collide.
      const entry = cache.get(apiKey);
      if (entry && now - entry.at < ttlMs) return entry.account;
      const account = database
        .run(findAccountByKey, hashSecret(apiKey))
        .then((row) => (row ? accountFromRow(row) : null));
      cache.delete(apiKey);
      if (cache.size >= maxEntries) cache.delete(cache.keys().next().value as string);
      cache.set(apiKey, { at: now, account });
      // A failed look-up is not cached.
      account.catch(() => cache.delete(apiKey));
      return account;
    },
    invalidate: () => cache.clear(),
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
    })),
  };
}
