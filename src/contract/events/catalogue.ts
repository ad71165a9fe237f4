// Every webhook event: its type, when it is posted, and an example. The OpenAPI document, docs/reference/events.md and the management API's
// list of types are generated from it.

import { messageExamples } from "./message-examples.ts";
import { otherExamples } from "./other-examples.ts";
import { eventShapes, type PostedType } from "./shapes.ts";

const words: Record<PostedType, readonly [title: string, description: string]> = {
  "message.queued": [
    "Message queued",
    "The message was accepted and is due at once, or an attempt did not send it and it waits for the next one (`attempts`, `next_attempt_at`, `error`).",
  ],
  "message.scheduled": [
    "Message scheduled",
    "The message was accepted for later, or it was moved to another time (`scheduled_for`).",
  ],
  "message.sending": ["Message being sent", "An attempt begins. `attempts` counts it."],
  "message.sent": [
    "Message sent",
    "The provider accepted the message. It is not known yet whether it arrives.",
  ],
  "message.delivered": ["Message delivered", "The provider reports that the message arrived."],
  "message.read": ["Message read", "The recipient read the message, if the channel reports that."],
  "message.failed": [
    "Message failed",
    "The message was not sent and will not be retried. `error` says why. Its credit was returned.",
  ],
  "message.undelivered": [
    "Message undelivered",
    "The provider accepted the message and reports that it did not arrive. `error` says why.",
  ],
  "message.bounced": ["Email bounced", "The recipient's mail server returned the email. `error` says why."],
  "message.expired": [
    "Message expired",
    "The message was due for longer than the account's `lateness_ms`, so it was not sent. Its credit was returned.",
  ],
  "message.cancelled": [
    "Message cancelled",
    "The message was cancelled before it was sent. Its credit was returned.",
  ],
  "message.suppressed": [
    "Message suppressed",
    "The recipient is on the suppression list, so the message was not sent. Its credit was returned.",
  ],
  "message.unknown": [
    "Outcome unknown",
    "The message may have been sent: the provider did not answer. A later report or an answer of the account (`/api/resolve/…`) settles it.",
  ],
  "message.received": [
    "Message received",
    "A person wrote to one of the account's gateways. `opt` says whether they opted out or in with it.",
  ],
  "message.opened": [
    "Email opened",
    "The email's tracking pixel was loaded, or the provider reports an opening. After 20 of one email, further ones are only counted.",
  ],
  "message.clicked": [
    "Link followed",
    "A link of the email was followed. After 20 of one email, further ones are only counted.",
  ],
  "message.complained": [
    "Complaint",
    "The recipient reported the email as spam. Nothing more is sent there: the address is on the suppression list.",
  ],
  "message.recipient_bounced": [
    "Recipient bounced",
    "An email to several came back from one of them, and others have it or may still get it. `recipients` says from whom. When it came back from all, `message.bounced` says so.",
  ],
  "gateway.paused": [
    "Gateway paused",
    "A gateway stopped sending, because its provider is in trouble or refuses it, or because an operator paused it. Its messages wait.",
  ],
  "gateway.resumed": ["Gateway resumed", "A gateway sends again."],
  "gateway.linked": ["Device linked", "A phone or a WhatsApp device was linked to a gateway."],
  "gateway.unlinked": [
    "Device unlinked",
    "A device's link to a gateway ended. For WhatsApp, `reason` is one of `logged_out`, `replaced`, `banned`, `locked` or `removed`.",
  ],
  "gateway.limited": ["Number limited", "WhatsApp restricts the number of a linked device for a while."],
  "gateway.outdated": [
    "Link outdated",
    "WhatsApp refuses the version of the library behind the link; Trunkline has to be updated.",
  ],
  "gateway.receipts_unmatched": [
    "Receipts unmatched",
    "Twenty delivery reports in a row match no message of the gateway. Its messages stay `sent` until ids have the same format in reports and answers.",
  ],
  "credit.low": ["Credit low", "Less than a tenth of a channel's credit is left."],
  "pool.member_down": [
    "Pool member down",
    "A member of an AI pool failed so often that requests are sent to the others for a while.",
  ],
  "pool.member_up": ["Pool member up", "A member of an AI pool that was down answers again."],
  "budget.low": [
    "Budget low",
    "The share of an AI budget in `low_percent` is used. Posted once per day or month of the budget.",
  ],
  "completion.done": [
    "Completion done",
    "A deferred completion ended. `GET /api/ai/v1/deferred/{id}` has its answer.",
  ],
  "webhook.test": [
    "Test event",
    "Posted to one endpoint at its owner's request, to test that it is received. Patterns neither select nor exclude it.",
  ],
};

/** One kind of event. */
export interface CataloguedEvent {
  type: PostedType;
  title: string;
  /** When it is posted. */
  description: string;
  data: (typeof eventShapes)[PostedType];
  /** An event as it is posted. */
  example: { type: PostedType; timestamp: string; data: object };
}

const examples = { ...messageExamples, ...otherExamples };

/** All kinds, in the order of `eventTypes`, and the test event. */
export const eventCatalogue: readonly CataloguedEvent[] = (Object.keys(eventShapes) as PostedType[]).map(
  (type) => {
    const [title, description] = words[type];
    return { type, title, description, data: eventShapes[type], example: { type, ...examples[type] } };
  },
);
