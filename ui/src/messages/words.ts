// Actions on a message, and its representation in a list.

import type { MessageRecord, MessageStatus } from "#ui/api/schema.ts";
import { number } from "#ui/words/numbers.ts";

/** A person's decisions about a message with an unknown outcome: the word of the API, the button's label, and its effect. */
export const answers = [
  ["send_again", "Send again", "It is queued once more. If it had been sent, the recipient gets it twice."],
  ["mark_sent", "Mark as sent", "It counts as sent. Nothing goes out."],
  ["mark_failed", "Mark as failed", "It counts as failed. Nothing goes out."],
] as const;

/** `1 message`, `1,000 messages`. */
export const counted = (count: number): string => `${number(count)} ${count === 1 ? "message" : "messages"}`;

export const canBeCancelled = ({ status }: Pick<MessageRecord, "status">): boolean =>
  status === "queued" || status === "scheduled";

/** Whether nothing more will happen to it automatically. */
export const hasEnded = (status: MessageStatus): boolean =>
  !["queued", "scheduled", "sending", "sent"].includes(status);

/** The number or address as the service understood it. */
export const recipientOf = (record: MessageRecord): string =>
  record.channel === "email" ? record.email : record.recipient;

/** How a list shows it: the subject, or the text. */
export const textOf = (record: MessageRecord): string =>
  record.channel === "email" ? record.subject : record.message;

/** When it is due, epoch ms; null if it does not wait for a time. */
export const dueOf = ({ next_attempt_at, scheduled_for }: MessageRecord): number | null => {
  const at = next_attempt_at ?? scheduled_for;
  return at === null ? null : Date.parse(at);
};
