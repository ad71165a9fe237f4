// Reports that mail servers send about a mail: delivery status (RFC 3464), complaints (ARF, RFC 5965), and the plain text
// of older servers. Everything else is ignored, above all automatic replies of people's mail programs.

import { bounceOf, statusIn } from "#contract/messages/bounce-class.ts";
import type { Engagement, Receipt } from "#gateways/callback.ts";
import { oneLine } from "#settings/redact.ts";
import { type Headers, type MimePart, readFields, readParts } from "./mime-parts.ts";

export type MailReport =
  | {
      kind: "delivery";
      /** `delayed`: the server continues to try. */
      action: "failed" | "delayed" | "delivered";
      /** An enhanced status code. */
      status: string | null;
      /** In the server's words, on one line. */
      reason: string | null;
      original: Original;
    }
  | { kind: "complaint" | "unsubscribe"; reason: string | null; original: Original }
  /** `auto_reply`: out of office and the like. `other`: no report, or an unreadable one. */
  | { kind: "none"; why: "auto_reply" | "other" };

/** What a report says of the mail that it returns. Anyone can write that, so it proves nothing. */
interface Original {
  /** Our id (`msg_…`), if its headers contain it. */
  messageId: string | null;
}

/** Reasons are cut to their final length where they are stored, after secrets were masked. */
const maxReasonChars = 4000;
const cleanReason = (text: string) => oneLine(text).slice(0, maxReasonChars);

/** Reads at most the first MiB. Never throws. */
export function readReport(raw: Uint8Array): MailReport {
  const parts = readParts(raw);
  const [mail] = parts;
  if (mail === undefined) return { kind: "none", why: "other" };
  const original = { messageId: originalId(parts) };
  const status = parts.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type));
  if (status) return deliveryReport(status, original);
  const feedback = parts.find(({ type }) => type === "message/feedback-report");
  if (feedback) return feedbackReport(readFields(feedback.body), original);
  return plainTextReport(mail, parts, original);
}

const ourId = /\bmsg_[0-7][0-9a-hjkmnp-tv-z]{25}\b/;
const idHeaders = ["x-trunkline-message", "message-id"] as const;

/** Our id, from the headers of the mail that is returned with the report. */
function originalId(parts: readonly MimePart[]): string | null {
  for (const { type, body } of parts) {
    if (!/^(?:message\/(?:global|rfc822)|text\/rfc822-headers|message\/global-headers)$/.test(type)) continue;
    const end = body.indexOf("\n\n");
    const headers = readFields(end === -1 ? body : body.slice(0, end));
    for (const name of idHeaders) {
      const [id] = ourId.exec(headers.get(name) ?? "") ?? [];
      if (id !== undefined) return id;
    }
  }
  return null;
}

const actions = { failed: 3, delayed: 2, delivered: 1 } as const;
const isAction = (text: string): text is keyof typeof actions => Object.hasOwn(actions, text);

/** The recipient with the worst result: a report has several if the address is a mailing list. */
function deliveryReport(part: MimePart, original: Original): MailReport {
  let worst: Extract<MailReport, { kind: "delivery" }> | null = null;
  for (const block of part.body.split(/\n[ \t]*\n/).slice(0, 100)) {
    const fields = readFields(block.replace(/^\n+/, ""));
    const action =
      fields
        .get("action")
        ?.toLowerCase()
        .split(/[\s;(]/, 1)[0] ?? "";
    if (!isAction(action)) continue;
    const diagnostic = fields.get("diagnostic-code");
    const reported = /[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get("status") ?? "")?.[0] ?? null;
    // `5.0.0` says nothing; the receiving server's reply may.
    const isVague = reported === null || /\.0\.0$/.test(reported);
    const status = isVague ? (statusIn(diagnostic ?? "") ?? reported) : reported;
    const reason =
      diagnostic === undefined ? null : cleanReason(diagnostic.replace(/^\s*[\w-]{1,20}\s*;/, ""));
    if (worst === null || actions[action] > actions[worst.action])
      worst = { kind: "delivery", action, status, reason, original };
  }
  return worst ?? { kind: "none", why: "other" };
}

function feedbackReport(fields: Headers, original: Original): MailReport {
  const type = fields.get("feedback-type")?.toLowerCase().trim() ?? "";
  const reason = `Feedback report: ${cleanReason(type).slice(0, 40)}`;
  if (type === "opt-out" || type === "opt-out-list") return { kind: "unsubscribe", reason, original };
  // `not-spam` withdraws a complaint; `auth-failure` and the like are about our DNS records.
  return /^(?:abuse|fraud|virus|other|miscategorized)$/.test(type)
    ? { kind: "complaint", reason, original }
    : { kind: "none", why: "other" };
}

const daemon = /\b(?:mailer-daemon|postmaster|mail delivery (?:sub)?system)\b/i;
const returned =
  /\b(?:failure notice|undeliver(?:able|ed)|delivery (?:status notification|failed|failure|has failed)|mail delivery failed|returned mail|returned to sender|delivery to the following)/i;
const delayed = /\b(?:delay(?:ed)?|warning|will be retried|still being retried|not yet been delivered)\b/i;

/** qmail, old Exim and others send plain text for people only. */
function plainTextReport(mail: MimePart, parts: readonly MimePart[], original: Original): MailReport {
  const { headers } = mail;
  const subject = headers.get("subject") ?? "";
  const from = headers.get("from") ?? "";
  const failed = headers.has("x-failed-recipients");
  if (!failed && !(daemon.test(from) && (returned.test(subject) || delayed.test(subject)))) {
    const automatic = !/^\s*(?:no\b|$)/i.test(headers.get("auto-submitted") ?? "");
    const marked = ["x-autoreply", "x-autorespond", "x-auto-response-suppress"].some((name) =>
      headers.has(name),
    );
    const bulk = /\b(?:auto_reply|bulk|junk)\b/i.test(headers.get("precedence") ?? "");
    return { kind: "none", why: automatic || marked || bulk ? "auto_reply" : "other" };
  }
  const text = (parts.find(({ type }) => type === "text/plain")?.body ?? "").slice(0, 4000);
  const status = statusIn(text);
  const line = text.split("\n").find((text) => statusIn(text) !== null || /\b[45]\d\d[ -]/.test(text));
  const action = delayed.test(subject) && !failed ? "delayed" : "failed";
  // A text without any error is a reply, not a report.
  if (status === null && line === undefined && !failed) return { kind: "none", why: "other" };
  return {
    kind: "delivery",
    action,
    status,
    reason: line === undefined ? null : cleanReason(line),
    original,
  };
}

/** The receipts and engagements of a report for the message that it is about. */
export function toReports(
  report: MailReport,
  messageId: string,
): { receipts: Receipt[]; engagements: Engagement[] } {
  const about = { reference: null, messageId };
  const none = { receipts: [], engagements: [] };
  if (report.kind === "none") return none;
  const reason = report.reason === null ? {} : { reason: report.reason };
  if (report.kind !== "delivery") {
    const kind = report.kind === "complaint" ? ("complained" as const) : ("unsubscribed" as const);
    return { ...none, engagements: [{ ...about, ...reason, kind, key: kind }] };
  }
  const { action, status } = report;
  const code = status === null ? {} : { code: status };
  if (action === "delivered") return { ...none, receipts: [{ ...about, status: "delivered" }] };
  if (action === "delayed") {
    const text = [report.reason, status].filter((word) => word !== null).join(" · ");
    return {
      ...none,
      engagements: [{ ...about, kind: "deferred", ...(text === "" ? {} : { reason: text }) }],
    };
  }
  const bounce = bounceOf(status, report.reason ?? "");
  return {
    ...none,
    receipts: [{ ...about, ...code, ...reason, status: "bounced", ...(bounce === null ? {} : { bounce }) }],
  };
}
