// Who holds this API key? Answered from memory for a moment, so that a burst costs one look-up, and so that
// a regenerated key or a changed account takes effect in every process within that moment.

import type { Clock } from "#runtime/runtime.ts";
import { type AccountRow, findAccountByKey } from "#store/accounts/accounts.ts";
import type { Database } from "#store/database.ts";
import type { Account } from "./account.ts";
import { hashApiKey } from "./api-key.ts";

/** Well under the 5 s within which a regenerated key stops working. */
const freshMs = 3_000;
/** A flood of wrong keys must not grow the memory; the oldest entries go first. */
const mostEntries = 10_000;

export interface Authenticator {
  /** The account of a key; null when nobody holds it. */
  authenticate(apiKey: string): Promise<Account | null>;
  /** Something about an account or a key changed in this process: forget what was remembered. */
  invalidate(): void;
}

export function createAuthenticator(parts: { database: Database; clock: Clock }): Authenticator {
  const { database, clock } = parts;
  const known = new Map<string, { at: number; account: Promise<Account | null> }>();
  return {
    authenticate: (apiKey) => {
      // Nobody's key is longer; hashing megabytes is not free.
      if (apiKey.length > 512) return Promise.resolve(null);
      const now = clock.monotonic();
      // By the whole key: a part of it, or a short hash, would confuse accounts.
      const entry = known.get(apiKey);
      if (entry && now - entry.at < freshMs) return entry.account;
      const account = database
        .run(findAccountByKey, hashApiKey(apiKey))
        .then((row) => (row ? accountFromRow(row) : null));
      known.delete(apiKey);
      if (known.size >= mostEntries) known.delete(known.keys().next().value as string);
      known.set(apiKey, { at: now, account });
      // A failed look-up is not remembered.
      account.catch(() => known.delete(apiKey));
      return account;
    },
    invalidate: () => known.clear(),
  };
}

/** An account from its row. */
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
      active: gateway.active === 1,
      isDefault: gateway.is_default === 1,
      test: gateway.test === 1,
    })),
  };
}
