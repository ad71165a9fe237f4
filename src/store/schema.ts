// The tables, as kysely sees them. Epoch milliseconds are `…_at`, booleans are 0 or 1, JSON is text.

import type { Channel, Status } from "#contract/channel.ts";

type Flag = 0 | 1;

export interface AccountsTable {
  id: string;
  name: string;
  time_zone: string;
  country: string | null;
  plan_name: string;
  plan_expires_at: number | null;
  requests_per_minute: number | null;
  created_at: number;
  updated_at: number;
}

export interface ApiKeysTable {
  /** SHA-256 of the key, hex. */
  hash: string;
  account_id: string;
  /** The key itself, sealed, so that its owner can see it again; null when copies are not kept. */
  sealed: string | null;
  created_at: number;
}

export interface CreditsTable {
  account_id: string;
  channel: Channel;
  allowance: number;
  remaining: number;
  renews: "monthly" | null;
  /** When `remaining` was last set to `allowance`. */
  renewed_at: number;
}

export interface GatewaysTable {
  id: string;
  account_id: string;
  identifier: string;
  channel: Channel;
  kind: string;
  active: Flag;
  is_default: Flag;
  test: Flag;
  /** Settings JSON, sealed as a whole: secrets can stand anywhere in it. */
  settings: string;
  /** JSON of `GatewayRules`: pace, retry, what to do with an unknown outcome. */
  rules: string;
  created_at: number;
  updated_at: number;
}

export interface RequestsTable {
  id: string;
  account_id: string;
  channel: Channel;
  contacts: number;
  created_at: number;
}

export interface MessagesTable {
  id: string;
  account_id: string;
  request_id: string;
  channel: Channel;
  gateway_id: string;
  /** 1: the caller named the gateway, so the message never moves to another one. */
  named: Flag;
  /** As given. */
  number: string;
  /** E.164, or a short code. */
  recipient: string;
  body: string;
  test: Flag;
  status: Status;
  /** By the size of its request; see `queue/band.ts`. */
  band: number;
  /** When it may go out; not null exactly while it waits (queued, scheduled). */
  due_at: number | null;
  /** The fence under which it was last stamped. */
  fence: number;
  /** State changes so far; the next event's number. */
  version: number;
  attempts: number;
  /** Automatic repeats of an attempt whose outcome was unknown. */
  resends: number;
  /** On the lane's clock (see `lanes.paused_ms`): when its first try was deferred. */
  deferred_from: number | null;
  schedule_at: string | null;
  scheduled_for: number | null;
  created_at: number;
  updated_at: number;
  sent_at: number | null;
  delivered_at: number | null;
  read_at: number | null;
  provider_reference: string | null;
  error_code: string | null;
  error_message: string | null;
  encoding: "gsm7" | "ucs2" | null;
  segments: number | null;
  /** Credit reserved for it. */
  cost: number;
  /** 1: that credit went back. */
  returned: Flag;
}

export interface EventsTable {
  message_id: string;
  seq: number;
  account_id: string;
  at: number;
  /** The state that the message came to. */
  type: string;
  /** Plain words; may be empty. */
  detail: string;
}

export interface ReferencesTable {
  gateway_id: string;
  reference: string;
  /** Null: a receipt came before our own record of the reference. */
  message_id: string | null;
  created_at: number;
}

export interface ReceiptsTable {
  gateway_id: string;
  /** What makes a receipt the same as another: a digest of its content. */
  key: string;
  reference: string | null;
  message_id: string | null;
  status: string;
  code: string | null;
  reason: string | null;
  at: number | null;
  received_at: number;
  /** 0: waits for its message to become known. */
  applied: Flag;
}

export interface InboundTable {
  id: string;
  account_id: string;
  gateway_id: string;
  channel: Channel;
  reference: string;
  sender: string;
  recipient: string;
  body: string;
  /** JSON list. */
  media: string;
  received_at: number;
}

export interface LanesTable {
  /** The gateway's id. */
  id: string;
  active: Flag;
  owner: string | null;
  fence: number;
  paused_until: number | null;
  pause_reason: string | null;
  /** Pauses in a row without a success: the length of the next one. */
  pauses: number;
  /** When the current pause began; null: not paused. */
  paused_since: number | null;
  /** All finished pauses together: a lane's clock is the wall clock less this, so that retry windows stand still. */
  paused_ms: number;
  /** Local day that `day_count` counts for. */
  day: string | null;
  day_count: number;
  /** Moves whenever the gateway's settings or rules change, so that its owner reopens it. */
  revision: number;
}

export interface ProcessesTable {
  id: string;
  beat: number;
  started_at: number;
}

export interface ProvisionedTable {
  kind: string;
  name: string;
  hash: string;
}

export interface FactsTable {
  name: string;
  value: string;
}

export interface Schema {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  credits: CreditsTable;
  gateways: GatewaysTable;
  requests: RequestsTable;
  messages: MessagesTable;
  events: EventsTable;
  message_references: ReferencesTable;
  receipts: ReceiptsTable;
  inbound_messages: InboundTable;
  lanes: LanesTable;
  processes: ProcessesTable;
  provisioned: ProvisionedTable;
  facts: FactsTable;
}
