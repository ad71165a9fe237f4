// What SES publishes about a mail
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html). Each mail has one recipient
// here, so the first of a list is the only one. Our id comes back as a tag, but only through a configuration set.

import { eventTime, messageIdTag, reasonText } from "#gateways/email/http-mail.ts";
import { clientInfo, type EventIds, eventIds, omitUndefined } from "#gateways/email/mail-event.ts";
import type { Engagement, Receipt, Received } from "#gateways/gateway.ts";
import { parseJson, readPath, textAt } from "#gateways/sms/http-api/json-path.ts";

type Field = (path: string) => string | null;

/** One event, as it stands in an SNS message with the id `key`. Events that change nothing give nothing. */
export function receivedFrom(message: string, key: string): Received {
  // SES says this to a new topic.
  if (message.startsWith("Successfully validated SNS topic")) return reports({});
  const json = parseJson(message);
  if (json === undefined) return { kind: "malformed", reason: "The message is no event of SES." };
  const field: Field = (path) => textAt(json, path);
  const type = field("$.eventType") ?? field("$.notificationType");
  if (type === null) return { kind: "malformed", reason: "The message names no event of SES." };
  // The identity's own notifications say this to a new topic.
  if (type === "AmazonSnsSubscriptionSucceeded") return reports({});
  const named = eventIds(field("$.mail.messageId"), field(`$.mail.tags.${messageIdTag}[0]`), undefined);
  if (named === null) return { kind: "malformed", reason: "The event names no mail." };
  const unsubscribed = readPath(json, "$.subscription.newTopicPreferences.unsubscribeAll") === true;
  return reports({
    receipt: receiptOf(type, field, named),
    engagement: engagementOf(type, field, named, key, unsubscribed),
  });
}

function reports({
  receipt,
  engagement,
}: {
  receipt?: Receipt | null;
  engagement?: Engagement | null;
}): Received {
  return {
    kind: "received",
    receipts: receipt ? [receipt] : [],
    inbound: [],
    engagements: engagement ? [engagement] : [],
  };
}

/** SES puts addresses that bounced or complained before on a list, and then sends them nothing. */
const listed = "OnAccountSuppressionList";

function receiptOf(type: string, field: Field, named: EventIds): Receipt | null {
  const receipt = (at: string, report: Omit<Receipt, "reference">): Receipt =>
    omitUndefined<Receipt>({ ...report, ...named, at: eventTime(field(at)) });
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
      return field("$.complaint.complaintSubType") === listed
        ? receipt("$.complaint.timestamp", {
            status: "failed",
            code: listed,
            reason: "SES sends nothing to this address, because it complained before.",
          })
        : null;
    default:
      return null;
  }
}

/** Subtypes that are about the mail and not about its address. */
const aboutTheMail = new Set(["MessageTooLarge", "ContentRejected", "AttachmentRejected"]);

/** `Permanent` is hard; `Transient` and `Undetermined` may pass. */
function bounceOf(field: Field): Omit<Receipt, "reference"> {
  const subType = reasonText(field("$.bounce.bounceSubType"));
  const status = field("$.bounce.bouncedRecipients[0].status");
  // A name as it is or none: one with letters taken out could be a secret that is not known again.
  const name = subType !== undefined && /^\w{1,64}$/.test(subType) ? subType : undefined;
  const code = status !== null && /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : name;
  const words = reasonText(field("$.bounce.bouncedRecipients[0].diagnosticCode"));
  return omitUndefined<Omit<Receipt, "reference">>({
    status: "bounced",
    bounce: aboutTheMail.has(subType ?? "")
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
  named: EventIds,
  key: string,
  unsubscribed: boolean,
): Engagement | null {
  const kind = kinds.get(type);
  if (kind === undefined) return null;
  const [name, section] = kind;
  if (name === "unsubscribed" && !unsubscribed) return null;
  if (name === "complained") {
    // `not-spam` takes a spam mark back; the other is no complaint about this mail.
    if (field("$.complaint.complaintFeedbackType") === "not-spam") return null;
    if (field("$.complaint.complaintSubType") === listed) return null;
  }
  const visit = {
    url: name === "clicked" ? field("$.click.link") : null,
    userAgent: field(`$.${section}.userAgent`),
    ip: field(`$.${section}.ipAddress`),
  };
  return omitUndefined<Engagement>({
    kind: name,
    ...named,
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
