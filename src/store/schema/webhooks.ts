// The tables of webhooks: the outbox of events, endpoints, and what is delivered to them.

import type { Revised } from "#store/revision.ts";

type Flag = 0 | 1;

/** Events that are not yet delivered to the webhook endpoints. An entry is written with the change itself and deleted by the fan-out. */
export interface OutboxTable {
  /** Derived from the change, so that one change is never two events. */
  id: string;
  account_id: string;
  /** The event's type; `request` if a whole send was accepted, and each of its messages is an event. */
  type: string;
  at: number;
  message_id: string | null;
  priority: number;
  /** JSON: for a message, its changing fields at that time (`Snapshot`); for a request, its ids; otherwise the event's data. */
  data: string;
}

export interface WebhookEndpointsTable extends Revised {
  id: string;
  account_id: string;
  /** Null if it has no name of its own; it is shown by the host of its URL. */
  name: string | null;
  /** Sealed. */
  url: string;
  /** Digest of the URL. Null if an earlier version stored it, and this start has not sealed it yet. */
  url_hash: string;
  /** JSON list of patterns, such as `message.*`. */
  events: string;
  active: Flag;
  /** `twilio`: it posts the statuses of messages as Twilio does, each to the URL of its message. Null: it posts events to its own. */
  format: "twilio" | null;
  /** `whsec_…`, sealed. */
  secret: string;
  /** The previous secret, sealed; it also signs until `old_secret_until`. */
  old_secret: string | null;
  old_secret_until: number | null;
  /** Time of the first failure since the last success. Null if there was none. */
  failing_since: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
  created_at: number;
  updated_at: number;
}

/** Where the statuses of a message are posted besides the account's endpoints. Written and removed with its message, never changed. */
export interface StatusCallbacksTable {
  message_id: string;
  /** JSON of a `StatusCallback`, sealed. */
  callback: string;
}

export interface WebhookEventsTable {
  /** The `webhook-id`. */
  id: string;
  account_id: string;
  type: string;
  at: number;
  /** The JSON text that is posted and signed. */
  body: string;
}

export type DeliveryStatus = "pending" | "delivered" | "failed";

export interface WebhookDeliveriesTable {
  endpoint_id: string;
  event_id: string;
  account_id: string;
  type: string;
  priority: number;
  /** Not null exactly while it waits. */
  due_at: number | null;
  held_due_at: number | null;
  status: DeliveryStatus;
  /** Attempts since it was created or last replayed. */
  attempts: number;
  /** JSON list of its latest attempts. */
  log: string;
  created_at: number;
  updated_at: number;
}
