// The events that SES publishes about a mail (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html).
// Each mail has one recipient here, so the first of a list is the only one. Our id is returned as a tag, but only through a configuration
// set.

import type { Engagement, Receipt, Received } from "#gateways/callback.ts";
import { messageIdTag } from "#gateways/email/http-mail.ts";
import { type Json, parseJson, readPath, textAt } from "#gateways/json-path.ts";
import {
  clientInfo,
  type EventIds,
  eventIds,
  eventTime,
  omitUndefined,
  reasonText,
} from "#gateways/vendor-event.ts";

type Field = (path: string) => string | null;

/** Reads one event of an SNS message with the id `key`. Events that change nothing give an empty result. */
export function receivedFrom(message: string, key: string): Received {
  // SES sends this to a new topic.
  if (message.startsWith("Successfully validated SNS topic")) return reports({});
  const json = parseJson(message);
  if (json === undefined) return { kind: "malformed", reason: "The message is no event of SES." };
  const field: Field = (path) => textAt(json, path);
  const type = field("$.eventType") ?? field("$.notificationType");
  if (type === null) return { kind: "malformed", reason: "The message names no event of SES." };
  // The notifications of the identity send this to a new topic.
  if (type === "AmazonSnsSubscriptionSucceeded") return reports({});
  const ids = eventIds(field("$.mail.messageId"), field(`$.mail.tags.${messageIdTag}[0]`), undefined);
  if (ids === null) return { kind: "malformed", reason: "The event names no mail." };
  const unsubscribed = readPath(json, "$.subscription.newTopicPreferences.unsubscribeAll") === true;
  const engagement = engagementOf(type, field, ids, key, unsubscribed);
  // A complaint lists everyone who may have made it.
  const named = eachRecipient(json, engagement, type);
  return reports({
    receipts: eachRecipient(json, receiptOf(type, field, ids), type),
    engagement: engagement && (named.length === 1 ? named[0] : engagement),
  });
}

/** Where an event names its recipients. Deliveries, bounces and complaints may name several. */
const recipientPaths: Readonly<Record<string, (index: number) => string>> = {
  Delivery: (index) => `$.delivery.recipients[${index}]`,
  Bounce: (index) => `$.bounce.bouncedRecipients[${index}].emailAddress`,
  Complaint: (index) => `$.complaint.complainedRecipients[${index}].emailAddress`,
};
/** A mail of ours has no more. */
const maxRecipients = 50;

/** The report once for each recipient that the event names; once without one if it names none. */
function eachRecipient<Report extends Receipt | Engagement>(
  json: Json,
  report: Report | null,
  type: string,
): Report[] {
  if (report === null) return [];
  const path = recipientPaths[type];
  const named: Report[] = [];
  for (let index = 0; path !== undefined && index < maxRecipients; index += 1) {
    const recipient = textAt(json, path(index));
    if (recipient === null) break;
    named.push({ ...report, recipient });
  }
  return named.length === 0 ? [report] : named;
}

function reports({
  receipts = [],
  engagement,
}: {
  receipts?: Receipt[];
  engagement?: Engagement | null | undefined;
}): Received {
  return {
    kind: "received",
    receipts,
    inbound: [],
    engagements: engagement ? [engagement] : [],
  };
}

/** SES keeps a list of addresses that bounced or complained before, and sends nothing to them. */
const suppressed = "OnAccountSuppressionList";

function receiptOf(type: string, field: Field, ids: EventIds): Receipt | null {
  const receipt = (at: string, report: Omit<Receipt, "reference">): Receipt =>
    omitUndefined<Receipt>({ ...report, ...ids, at: eventTime(field(at)) });
  switch (type) {
    case "Send":
      return receipt("$.mail.timestamp", { status: "sent" });
    case "Delivery":
      return receipt("$.delivery.timestamp", { status: "delivered" });
    case "Bounce":
      return receipt("$.bounce.timestamp", bounceOf(field));
    case "Reject":
      // A virus was found.
      return receipt("$.mail.timestamp", {
        status: "failed",
        code: "Reject",
        reason: `SES did not send the mail: ${reasonText(field("$.reject.reason")) ?? "no reason given"}.`,
      });
    case "Rendering Failure":
      return receipt("$.mail.timestamp", {
        status: "failed",
        code: "RenderingFailure",
        reason: reasonText(field("$.failure.errorMessage")) ?? "SES could not render the template.",
      });
    case "Complaint":
      return field("$.complaint.complaintSubType") === suppressed
        ? receipt("$.complaint.timestamp", {
            status: "failed",
            code: suppressed,
            reason: "SES sends nothing to this address, because it complained before.",
          })
        : null;
    default:
      return null;
  }
}

/** Subtypes that are about the mail and not about its address. */
const contentSubTypes = new Set(["MessageTooLarge", "ContentRejected", "AttachmentRejected"]);

/** `Permanent` is hard; `Transient` and `Undetermined` may pass. */
function bounceOf(field: Field): Omit<Receipt, "reference"> {
  const subType = reasonText(field("$.bounce.bounceSubType"));
  const status = field("$.bounce.bouncedRecipients[0].status");
  // The whole name or none: a part of a secret would not be recognised.
  const name = subType !== undefined && /^\w{1,64}$/.test(subType) ? subType : undefined;
  const code = status !== null && /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : name;
  const words = reasonText(field("$.bounce.bouncedRecipients[0].diagnosticCode"));
  return omitUndefined<Omit<Receipt, "reference">>({
    status: "bounced",
    bounce: contentSubTypes.has(subType ?? "")
      ? undefined
      : field("$.bounce.bounceType") === "Permanent"
        ? "hard"
        : "soft",
    code,
    reason: words ?? (subType === undefined ? undefined : `SES reports: ${subType}.`),
  });
}

function engagementOf(
  type: string,
  field: Field,
  ids: EventIds,
  key: string,
  unsubscribed: boolean,
): Engagement | null {
  const kind = kinds.get(type);
  if (kind === undefined) return null;
  const [name, section] = kind;
  if (name === "unsubscribed" && !unsubscribed) return null;
  if (name === "complained") {
    // `not-spam` withdraws a complaint; the subtype is not a complaint about this mail.
    if (field("$.complaint.complaintFeedbackType") === "not-spam") return null;
    if (field("$.complaint.complaintSubType") === suppressed) return null;
  }
  const visit = {
    url: name === "clicked" ? field("$.click.link") : null,
    userAgent: field(`$.${section}.userAgent`),
    ip: field(`$.${section}.ipAddress`),
  };
  return omitUndefined<Engagement>({
    kind: name,
    ...ids,
    key: key || undefined,
    at: eventTime(field(`$.${section}.timestamp`)),
    reason: reasonText(reasonOf(name, field)),
    ...(name === "opened" || name === "clicked" ? clientInfo(visit) : {}),
  });
}

function reasonOf(kind: Engagement["kind"], field: Field): string | null {
  if (kind === "complained") return field("$.complaint.complaintFeedbackType");
  if (kind !== "deferred") return null;
  return field("$.deliveryDelay.delayedRecipients[0].diagnosticCode") ?? field("$.deliveryDelay.delayType");
}

const kinds = new Map<string, readonly [Engagement["kind"], section: string]>([
  ["Open", ["opened", "open"]],
  ["Click", ["clicked", "click"]],
  ["Complaint", ["complained", "complaint"]],
  ["DeliveryDelay", ["deferred", "deliveryDelay"]],
  ["Subscription", ["unsubscribed", "subscription"]],
]);
