// What a message's status means, and what happens next by itself.

import type { MessageRecord, MessageStatus } from "#ui/api/schema.ts";

/** What a person may answer about a message whose outcome is unknown: the word of the API, the verb, and its effect. */
export const answers = [
  ["send_again", "Send again", "It is queued once more. If it had been sent, the recipient gets it twice."],
  ["mark_sent", "Mark as sent", "It counts as sent. Nothing goes out."],
  ["mark_failed", "Mark as failed", "It counts as failed. Nothing goes out."],
] as const;

export const canBeCancelled = ({ status }: Pick<MessageRecord, "status">): boolean =>
  status === "queued" || status === "scheduled";

const meanings: Readonly<Record<MessageStatus, string>> = {
  queued: "It waits for its gateway and goes out as soon as the gateway's pace allows.",
  scheduled: "It goes out by itself when its time has come. Until then it can be cancelled.",
  sending: "The provider is being asked right now.",
  sent: "It counts as sent. A report about its delivery may still come.",
  delivered: "The provider has reported that it reached the recipient.",
  read: "The provider has reported that the recipient read it.",
  failed: "It failed. Nothing repeats it by itself.",
  undelivered: "The provider accepted it, and has reported that it did not reach the recipient.",
  bounced: "The recipient's mail server returned it.",
  expired: "Its time was over before it could be sent.",
  cancelled: "It was cancelled before it was sent.",
  suppressed: "The recipient gets no messages from this account, so it was not sent.",
  unknown:
    "It may or may not have been sent. Nothing repeats it by itself; a report by the provider would still settle it, and so does your answer.",
};

/**
 * What the status means and what happens next. Of a message that counts as sent the timeline says who decided so, the
 * provider or a person; a list has no timeline.
 */
export function meaningOf({ status, events = [] }: Pick<MessageRecord, "status" | "events">): string {
  const decided = status === "sent" ? events.findLast(({ type }) => type === "sent")?.detail : null;
  return decided ? `${decided} A report about its delivery may still come.` : meanings[status];
}

/** Whether nothing more will happen to it by itself. */
export const hasEnded = (status: MessageStatus): boolean =>
  !["queued", "scheduled", "sending", "sent"].includes(status);

/** The number or address as it was understood. */
export const recipientOf = (record: MessageRecord): string =>
  record.channel === "email" ? record.email : record.recipient;

/** What a list shows of it: the subject, or the text. */
export const textOf = (record: MessageRecord): string =>
  record.channel === "email" ? record.subject : record.message;
