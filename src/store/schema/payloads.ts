// The table of what some messages consist of beside their text.

/**
 * The fields of a message's content beside its text, for the contents `media`, `list` and `template`. Apart from the
 * message's row, which changes at every step. Written with its message and removed with it, never changed.
 */
export interface MessagePayloadsTable {
  message_id: string;
  /** JSON: a `MessagePayload`. */
  payload: string;
}
