// A provider's HTTP call to a gateway, and what an adapter reads from it: receipts, engagements and inbound messages.

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
  /** For `bounced`: `hard` if the address does not exist or never accepts mail, `soft` if it may do so later. */
  bounce?: "hard" | "soft";
  /** For an email: the address that the report is about, if it names one. */
  recipient?: string;
}

/**
 * What a provider reports about an email besides its delivery. `deferred`: the receiving server asked to wait, and the provider keeps
 * trying. `complained`: the recipient reported spam. `unsubscribed`: by the provider's own link.
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
  /** For a click: the target. */
  url?: string;
  userAgent?: string;
  ip?: string;
  /** True if the provider says that a machine did it. */
  machine?: boolean;
  /** For a deferral or complaint, in the provider's words. */
  reason?: string;
  /** Whose mail it was, if the provider names an address. */
  recipient?: string;
}

/** WhatsApp's data of a message besides its text. */
export interface InboundDetails {
  /** WhatsApp's name of the type: `text`, `image`, `interactive`, `location`, … */
  type: string;
  reply: ReceivedReply | null;
  /** The name that senders gave themselves. */
  profileName: string | null;
  /** The sender's id for this business, which stays the same while their number is hidden. */
  userId: string | null;
  forwarded: boolean;
}

/** A message from a person to one of the account's numbers. `reference` is the provider's id of it. */
export interface InboundMessage {
  reference: string;
  /** The provider's id of the message that this one answers, if the callback carries it. */
  replyTo?: string;
  /** With a plus for an international number; without it, it is read as a national one. */
  from: string;
  to: string;
  message: string;
  media: { url: string; contentType: string | null }[];
  /** A file that the provider stores; callers download it through us. */
  file?: ReceivedFile;
  /** When it was written, epoch ms by the provider's clock, on channels where that opens a reply window. */
  sentAt?: number;
  /** The references under which this message may already be stored: at or after the first, and before the second. */
  alike?: { phoneId: string; gatewayIds: readonly string[]; from: string; before: string };
  /** The provider reports that the sender opted out, without a message; undefined if the text decides. */
  optedOut?: true;
  /** Names of the sender before the provider changed them: an opt-out under one of them remains valid. */
  formerSenders?: readonly string[];
  details?: InboundDetails;
}

/**
 * What a provider reports about the gateway itself. For each gateway the newest counts, by the provider's clock, since callbacks are
 * repeated and arrive in any order.
 */
export interface AccountUpdate {
  /** Epoch ms by the provider's clock. */
  at: number;
  /** What is known now; absent facts are unchanged. */
  facts?: GatewayFacts;
  /** They are about this number, with its plus, and do not apply to a gateway that is known to have another one. */
  aboutNumber?: string;
  /** A sentence for operators. */
  notice?: string;
  /** The lane sends nothing until then because of the notice, epoch ms. */
  pauseUntil?: number;
  /** The restriction on the gateway was lifted: a pause now ends with a probe. */
  lifted?: true;
}

/** What a provider knows about the sending number. Null: it no longer has such a value. */
export type GatewayFacts = {
  number?: string | null;
  /** The name that recipients see. */
  name?: string | null;
  /** How recipients rate its messages. */
  quality?: "high" | "medium" | "low" | null;
  /** How many people it may write to first, and in what time, in the provider's word. */
  limit?: string | null;
  /** How fast the number may send, in the provider's word. */
  throughput?: string | null;
};

/**
 * Why an update in a callback was skipped. `other_number`: it is about another number of the same app. `unknown`: its kind has no meaning
 * here, or is not known. `other_account`: it is about an account that the gateway's settings do not name.
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

/** The size limit of callbacks, unless a provider sets another. */
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
      /** Updates that were skipped, one reason for each. */
      ignored?: readonly IgnoredUpdate[];
      accountUpdates?: readonly AccountUpdate[];
      replayGuard?: ReplayGuard;
      /** Statuses that no table of the adapter lists: they are counted and shown, and change nothing. */
      unknownWords?: string[];
      /** A URL to GET once, which confirms the subscription of this callback. The adapter has checked that its host is the provider's. */
      confirmUrl?: string;
      reply?: { contentType: string; body: string };
      /** Called when everything is stored; the reply does not wait for it. */
      afterStored?: () => Promise<void>;
    }
  | { kind: "forbidden"; reason: string }
  | { kind: "not_configured"; reason: string }
  | { kind: "not_taken"; reason: string }
  | { kind: "malformed"; reason: string; replayGuard?: ReplayGuard }
  | { kind: "unavailable"; reason: string };

/**
 * For a signature that does not cover the content of the call. Until `until` (epoch ms), when the adapter itself refuses the signature as
 * too old, a second call with the same `proof` is accepted only if its content is the same.
 */
export interface ReplayGuard {
  proof: string;
  until: number;
}
