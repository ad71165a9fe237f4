// What a received WhatsApp message has beside its text, in records, events and storage. No zod here: the storage threads
// load this file.

/** A row of a list, a button, a form that the sender filled in, or a choice in WhatsApp itself. */
export interface ReceivedReply {
  type: "list" | "button" | "flow" | "preference";
  id: string;
  title: string | null;
  description: string | null;
}

/** The details of one message, as they are stored. */
export interface ReceivedDetails {
  type: string;
  reply: ReceivedReply | null;
  profile_name: string | null;
  user_id: string | null;
  forwarded: boolean;
}

const none = { type: null, reply: null, profile_name: null, user_id: null, forwarded: null };

/** The fields of a record or an event. `stored`: JSON of the details; null: the message has none. */
export function receivedDetails(stored: string | null): ReceivedDetails | typeof none {
  return stored === null ? none : (JSON.parse(stored) as ReceivedDetails);
}
