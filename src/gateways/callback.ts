// A provider's HTTP call to a gateway, and what an adapter reads out of it: receipts, engagements and inbound messages.

import type { ReceivedReply } from "#contract/messages/received/details.ts";
import type { FinalReceipt } from "./outcome.ts";
import type { ReceivedFile } from "./received-file.ts";

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
  /** A file that the provider keeps; callers get it through us. */
  file?: ReceivedFile;
  /** When it was written, epoch ms by the provider's clock: where that opens a time in which answers are let through. */
  sentAt?: number;
  /** Where a message that is stored already is this one under another reference: references from one, and before the other. */
  alike?: { phoneId: string; gatewayIds: readonly string[]; from: string; before: string };
  /** The provider says that the sender opted out, not with a message; undefined: the text decides. */
  optedOut?: true;
  /** By these the sender was known before the provider changed it: an opt-out under one of them holds on. */
  formerSenders?: readonly string[];
  details?: InboundDetails;
}

/**
 * What a provider says of the gateway itself. Of one gateway the newest counts, by the provider's clock, since
 * callbacks are repeated and come in any order.
 */
export interface AccountUpdate {
  /** Epoch ms by the provider's clock. */
  at: number;
  /** What is known now; facts that are left out stay as they are. */
  facts?: GatewayFacts;
  /** They are about this number, with its plus: nothing to a gateway that is known to have another one. */
  aboutNumber?: string;
  /** A sentence for operators. */
  notice?: string;
  /** Because of the notice the lane sends nothing until then, epoch ms. */
  pauseUntil?: number;
  /** What held the gateway back was lifted: a pause ends with a probe now. */
  lifted?: true;
}

/** What a provider knows of the sending number. Null: it has no such value any more. */
export type GatewayFacts = {
  number?: string | null;
  /** The name that recipients see. */
  name?: string | null;
  /** How recipients judge what they got. */
  quality?: "high" | "medium" | "low" | null;
  /** How many people may be written to first, and in what time, in the provider's word. */
  limit?: string | null;
  /** How fast the number may send, in the provider's word. */
  throughput?: string | null;
};

/**
 * Why an update in a callback was skipped. `other_number`: it is about another number of the same app. `unknown`: it is
 * of a kind that says nothing here, or that is not known. `other_account`: it is about an account that the gateway's
 * settings do not name.
 */
export type IgnoredUpdate = "other_number" | "other_account" | "unknown";

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

/** The longest callback of a provider that does not say otherwise. */
export const defaultCallbackBytes = 1024 * 1024;

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
      accountUpdates?: readonly AccountUpdate[];
      replayGuard?: ReplayGuard;
      /** Statuses that no table of the adapter lists: they are counted and shown, and change nothing. */
      unknownWords?: string[];
      /** A URL to GET once, which confirms the subscription of this callback. The adapter has checked that its host is the provider's. */
      confirmUrl?: string;
      reply?: { contentType: string; body: string };
      /** Called when everything is stored, and not waited for. */
      afterStored?: () => Promise<void>;
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
