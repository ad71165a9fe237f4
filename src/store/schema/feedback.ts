// The tables of what providers report: receipts with the references that find their messages, and messages received.

import type { Channel } from "#contract/messages/channel.ts";

export interface ReferencesTable {
  gateway_id: string;
  reference: string;
  /** Null: a receipt came before our own record of the reference. */
  message_id: string | null;
  /** How many references of the message have to be delivered until it is. */
  parts: number;
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
  applied: 0 | 1;
  /** For a bounced email: what the bounce says about the address; null: nothing. */
  bounce: "hard" | "soft" | null;
}

/** The last status of each gateway's provider that its adapter does not know. */
export interface UnknownWordsTable {
  gateway_id: string;
  word: string;
  at: number;
}

/** A message of several parts of which some were reported as delivered. */
export interface PartlyDeliveredTable {
  message_id: string;
  /** When the others are waited for no longer, epoch ms. */
  until: number;
}

/** When a person last wrote to a gateway, of channels with a reply window. */
export interface ReplyWindowsTable {
  gateway_id: string;
  sender: string;
  /** By the provider's clock. */
  heard_at: number;
}

/** A person whom a recipient reaches, and whom messages from them name as `sender`. */
export interface SenderNamesTable {
  gateway_id: string;
  sender: string;
  recipient: string;
  /** When the provider last showed it, epoch ms. */
  shown_at: number;
}

/** What a gateway's provider reported about the gateway itself. */
export interface GatewayAccountUpdatesTable {
  gateway_id: string;
  /** JSON of `GatewayFacts`. */
  facts: string;
  /** The last notice; null: there was none. */
  notice: string | null;
  noticed_at: number | null;
  /** Of the newest facts, by the provider's clock. */
  changed_at: number;
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
  /** The message that it answers, where that is known. */
  in_reply_to: string | null;
  /** Set if its text is an opt-out or opt-in keyword. */
  consent_keyword: "out" | "in" | null;
  /** JSON of `ReceivedDetails`; null: of a channel that has none. */
  details: string | null;
  /** JSON of `ReceivedFile`; null: it has none that its provider keeps. */
  file: string | null;
}
