// The tables of the past: ends of attempts, pauses and reports of gateways, and counts.

import type { Channel } from "#contract/messages/channel.ts";
import type { Counts } from "#store/counts/buffer.ts";

/** The end of an attempt that was not accepted. */
export interface AttemptEnd {
  /** The identifier of its gateway. */
  gateway: string;
  outcome: "rejected" | "deferred" | "unknown";
  code: string;
  /** The HTTP answer of the provider, if there was one: its status, and the start of its body without secrets. */
  answer: { status: number; body: string } | null;
  /** When the message is due again, epoch ms; null if it is not retried automatically. */
  next_at: number | null;
}

/** When a gateway's provider last reported on messages, or delivered one. */
export interface GatewayReportsTable {
  gateway_id: string;
  /** To within half a minute. */
  at: number;
}

/** A period in which a gateway sent nothing. */
export interface GatewayPausesTable {
  gateway_id: string;
  since: number;
  /** Null while it lasts. */
  until: number | null;
  reason: string | null;
}

/** Counts of a gateway's messages in a minute, an hour, or a local day of the account; or of a webhook endpoint's deliveries. */
export interface MessageCountsTable extends Counts {
  account_id: string;
  /** `endpoint_hour`: an hour of a webhook endpoint, which is never added to a gateway's steps. */
  step: "minute" | "hour" | "day" | "endpoint_hour";
  /** When the step begins. */
  at: number;
  /** Of an endpoint: its id. */
  gateway_id: string;
  channel: Channel | "webhook";
  /** JSON of a `Histogram`: from when messages could be sent until they were sent. */
  waits: string;
  /** JSON of a `Histogram`: from when messages were sent until they were delivered. */
  deliveries: string;
}
