// The tables of an account's API keys: the personal one, and those that have a name.

import type { Revised } from "#store/revision.ts";

export interface ApiKeysTable {
  /** SHA-256 of the key, hex. */
  hash: string;
  account_id: string;
  /** The key itself, sealed, so that its owner can see it again; null when copies are not kept. */
  sealed: string | null;
  created_at: number;
  /** Its first and last characters; null if it was stored before these were kept. */
  hint: string | null;
  /** Until when it works beside its successor; null for the account's current key. */
  works_until: number | null;
  /** When it was last used, to the minute; null if that was before this was recorded. */
  last_used_at: number | null;
}

export interface NamedKeysTable extends Revised {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of its text, hex. */
  hash: string;
  /** The first and last characters of its text. */
  hint: string;
  /** The SHA-256 of the previous text, and until when that one works. */
  previous_hash: string | null;
  previous_works_until: number | null;
  /** JSON of `namedKeyRules`. */
  rules: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  created_at: number;
  updated_at: number;
}
