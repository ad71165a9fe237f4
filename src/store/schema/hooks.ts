// The tables of hooks.

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
  /** Whether it reports what needs attention. */
  alerts: 0 | 1;
  /** Since when what it has to report is not accepted; null if nothing waits. */
  alerts_failed_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A cause of the overview that a hook has reported or may have to report. `cause` and `since` tell it from its next time. */
export interface AlertCausesTable {
  hook_id: string;
  /** Its kind and the id of its subject. */
  cause: string;
  /** When it was first seen, epoch ms. */
  since: number;
  /** JSON of the item of the overview as it was first seen. */
  item: string;
  /** Since when the overview does not list it; null while it does. */
  absent_at: number | null;
  /** When its beginning was accepted as messages; null if it was not. */
  begun_at: number | null;
  /** When it was over: it is not looked at again. Null until then. */
  ended_at: number | null;
  /** Whether its end was accepted as messages. */
  ended_sent: 0 | 1;
}
