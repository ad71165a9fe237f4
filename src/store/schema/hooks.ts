// The table of hooks.

import type { Revised } from "#store/revision.ts";

export interface HooksTable extends Revised {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of its key, hex. */
  hash: string;
  /** The first and last characters of its key. */
  hint: string;
  /** JSON of `hookRules`. */
  rules: string;
  /** The last body that it received, shortened and sealed; null if there is none, or it could not be shortened enough. */
  last_body: string | null;
  last_received_at: number | null;
  last_outcome: string | null;
  created_at: number;
  updated_at: number;
}
