// The contents of a received WhatsApp message besides its text, in records, events and storage. No zod here: the storage threads load this
// file.

/** A list row, a button, a submitted form, or a choice in WhatsApp itself. */
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

/** The fields of a record or an event. `stored`: JSON of the details; null if the message has none. */
export function receivedDetails(stored: string | null): ReceivedDetails | typeof none {
  return stored === null ? none : (JSON.parse(stored) as ReceivedDetails);
}
