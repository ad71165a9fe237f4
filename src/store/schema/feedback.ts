// The tables of providers' reports: receipts with the references that match them to messages, and received messages.

import type { Channel } from "#contract/messages/channel.ts";

export interface ReferencesTable {
  gateway_id: string;
  reference: string;
  /** Null if a receipt came before our own record of the reference. */
  message_id: string | null;
  /** How many of the message's references must be delivered until it counts as delivered. */
  parts: number;
  created_at: number;
}

export interface ReceiptsTable {
  gateway_id: string;
  /** A digest of the content, which identifies repeated receipts. */
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
  /** For a bounced email: what the bounce shows about the address; null if nothing. */
  bounce: "hard" | "soft" | null;
  /** For an email: the recipient that it is about, normalised; null if it names none. */
  recipient: string | null;
}

/** The last status of each gateway's provider that its adapter does not know. */
export interface UnknownWordsTable {
  gateway_id: string;
  word: string;
  at: number;
}

/** A message of several parts, some of which were reported as delivered. */
export interface PartlyDeliveredTable {
  message_id: string;
  /** When the wait for the others ends, epoch ms. */
  until: number;
}

/** When a person last wrote to a gateway, on channels with a reply window. */
export interface ReplyWindowsTable {
  gateway_id: string;
  sender: string;
  /** By the provider's clock. */
  heard_at: number;
}

/** The person whom a recipient reaches, and who appears as `sender` in messages from them. */
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
  /** The last notice; null if there was none. */
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
  /** The message that it answers, if known. */
  in_reply_to: string | null;
  /** Set if its text is an opt-out or opt-in keyword. */
  consent_keyword: "out" | "in" | null;
  /** JSON of `ReceivedDetails`; null for channels without details. */
  details: string | null;
  /** JSON of `ReceivedFile`; null if its provider keeps none. */
  file: string | null;
}
