// A provider's HTTP call to a gateway, and what an adapter reads out of it: receipts, engagements and inbound messages.

import type { ReceivedReply } from "#contract/messages/received-details.ts";
import type { FinalReceipt } from "./outcome.ts";

/** A provider's later report about one message, identified by the provider's reference, by our id, or by both. */
export interface Receipt extends FinalReceipt {
  reference: string | null;
  /** Our id, if the callback carries it: finds a message whose reference was lost with the answer. */
  messageId?: string;
  /** Epoch ms by the provider's clock, if the provider gives it. */
  at?: number;
  /** Of `bounced`: `hard` for an address that does not exist or never takes mail, `soft` for one that may later. */
  bounce?: "hard" | "soft";
}

/**
 * What a provider reports of an email besides its delivery. `deferred`: the receiving server asked to wait, and the
 * provider goes on trying. `complained`: the recipient reported spam. `unsubscribed`: by the provider's own link.
 */
export interface Engagement {
  kind: "opened" | "clicked" | "complained" | "unsubscribed" | "deferred";
  reference: string | null;
  /** Our id, if the callback carries it. */
  messageId?: string;
  /** Epoch ms by the provider's clock, if the provider gives it. */
  at?: number;
  /** Distinguishes engagements of one kind; a repeated key is the same engagement. Default: made of all other fields. */
  key?: string;
  /** Of a click: the target. */
  url?: string;
  userAgent?: string;
  ip?: string;
  /** True: the provider says that a machine did it. */
  machine?: boolean;
  /** Of a deferral or complaint, in the provider's words. */
  reason?: string;
}

/** What WhatsApp says of a message beside its text. */
export interface InboundDetails {
  /** WhatsApp's word: `text`, `image`, `interactive`, `location`, … */
  type: string;
  reply: ReceivedReply | null;
  /** The name that the sender gave themselves. */
  profileName: string | null;
  /** The sender's id for this business, which they keep while their number is hidden. */
  userId: string | null;
  forwarded: boolean;
}

/** A message from a person to one of the account's numbers. `reference` is the provider's id of it. */
export interface InboundMessage {
  reference: string;
  /** The provider's id of the message that this one answers, if the callback carries it. */
  replyTo?: string;
  /** With a plus if the provider means an international number: without it, it is read as a national one. */
  from: string;
  to: string;
  message: string;
  media: { url: string; contentType: string | null }[];
  details?: InboundDetails;
}

/**
 * Why an update in a callback was skipped. `other_number`: it is about another number of the same app. `unknown`: it is
 * of a kind that says nothing here, or that is not known.
 */
export type IgnoredUpdate = "other_number" | "unknown";

/** A provider's HTTP call to `/callbacks/{gateway identifier}`, as received. */
export interface CallbackRequest {
  method: string;
  /** The public URL that was configured with the provider, with the query of this call. */
  url: string;
  query: URLSearchParams;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * The result of reading a callback.
 * - `forbidden`: the signature or token is wrong (403, nothing changes)
 * - `not_configured`: the gateway has no secret to verify with (503; callbacks are never accepted unverified)
 * - `not_taken`: the gateway takes no callbacks at all (404, as for a gateway that does not exist)
 * - `malformed`: verified, but not understood (400; the provider repeats or drops it)
 * - `unavailable`: cannot be verified now, because the means of verification could not be loaded (503; the provider repeats it)
 */
export type Received =
  | {
      kind: "received";
      receipts: Receipt[];
      inbound: InboundMessage[];
      engagements?: Engagement[];
      /** Updates that were skipped, one word for each. */
      ignored?: readonly IgnoredUpdate[];
      replayGuard?: ReplayGuard;
      /** Statuses that no table of the adapter lists: they are counted and shown, and change nothing. */
      unknownWords?: string[];
      /** A URL to GET once, which confirms the subscription of this callback. The adapter has checked that its host is the provider's. */
      confirmUrl?: string;
      reply?: { contentType: string; body: string };
    }
  | { kind: "forbidden"; reason: string }
  | { kind: "not_configured"; reason: string }
  | { kind: "not_taken"; reason: string }
  | { kind: "malformed"; reason: string; replayGuard?: ReplayGuard }
  | { kind: "unavailable"; reason: string };

/**
 * For a signature that does not cover the content of the call. Until `until` (epoch ms), when the adapter itself refuses
 * the signature as too old, a second call with the same `proof` is taken only if its content is the same.
 */
export interface ReplayGuard {
  proof: string;
  until: number;
}
