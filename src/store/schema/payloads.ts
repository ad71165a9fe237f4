// The table of what some messages contain besides their text.

/**
 * The fields of a message's content besides its text, for the contents `media`, `list` and `template`. Separate from the message's row,
 * which changes at every step. Written and removed with its message, never changed.
 */
export interface MessagePayloadsTable {
  message_id: string;
  /** JSON: a `MessagePayload`. */
  payload: string;
}
