// Mails that mail servers write about a mail: delivery status (RFC 3464), complaints (ARF, RFC 5965), and what older
// servers say in their own words. Everything else, above all what people's programs answer by themselves, is nothing.

import { bounceOf, statusIn } from "#contract/messages/bounce-class.ts";
import type { Engagement, Receipt } from "#gateways/gateway.ts";
import { oneLine } from "#runtime/text.ts";
import { type Headers, type MimePart, readFields, readParts } from "./mime-parts.ts";

export type MailReport =
  | {
      kind: "delivery";
      /** `delayed`: the server goes on trying. */
      action: "failed" | "delayed" | "delivered";
      /** An enhanced status code. */
      status: string | null;
      /** In the server's words, on one line. */
      reason: string | null;
      original: Original;
    }
  | { kind: "complaint" | "unsubscribe"; reason: string | null; original: Original }
  /** `auto_reply`: out of office and its like. `other`: no report, or one that cannot be understood. */
  | { kind: "none"; why: "auto_reply" | "other" };

/** What a report says about the mail that it is about. Anybody can write that, so it proves nothing. */
export interface Original {
  /** Our id (`msg_…`), where its headers have it. */
  messageId: string | null;
}

/** Cut where it is stored, when secrets have been masked. */
const longestReason = 4000;
const words = (text: string) => oneLine(text).slice(0, longestReason);

/** Never throws; reads at most the first MiB. */
export function readReport(raw: Uint8Array): MailReport {
  const parts = readParts(raw);
  const [mail] = parts;
  if (mail === undefined) return { kind: "none", why: "other" };
  const original = { messageId: originalId(parts) };
  const status = parts.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type));
  if (status) return deliveryOf(status, original);
  const feedback = parts.find(({ type }) => type === "message/feedback-report");
  if (feedback) return feedbackOf(readFields(feedback.body), original);
  return inOwnWords(mail, parts, original);
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

/** Of the recipients of a report (a list may stand behind an address) the one that fared worst. */
function deliveryOf(part: MimePart, original: Original): MailReport {
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
    const given = /[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get("status") ?? "")?.[0] ?? null;
    // `5.0.0` says nothing; the server's own answer may.
    const status = given === null || /\.0\.0$/.test(given) ? (statusIn(diagnostic ?? "") ?? given) : given;
    const reason = diagnostic === undefined ? null : words(diagnostic.replace(/^\s*[\w-]{1,20}\s*;/, ""));
    if (worst === null || actions[action] > actions[worst.action])
      worst = { kind: "delivery", action, status, reason, original };
  }
  return worst ?? { kind: "none", why: "other" };
}

function feedbackOf(fields: Headers, original: Original): MailReport {
  const type = fields.get("feedback-type")?.toLowerCase().trim() ?? "";
  const reason = `Feedback report: ${words(type).slice(0, 40)}`;
  if (type === "opt-out" || type === "opt-out-list") return { kind: "unsubscribe", reason, original };
  // `not-spam` takes one back, `auth-failure` and its like are about our records.
  return /^(?:abuse|fraud|virus|other|miscategorized)$/.test(type)
    ? { kind: "complaint", reason, original }
    : { kind: "none", why: "other" };
}

const daemon = /\b(?:mailer-daemon|postmaster|mail delivery (?:sub)?system)\b/i;
const returned =
  /\b(?:failure notice|undeliver(?:able|ed)|delivery (?:status notification|failed|failure|has failed)|mail delivery failed|returned mail|returned to sender|delivery to the following)/i;
const delayed = /\b(?:delay(?:ed)?|warning|will be retried|still being retried|not yet been delivered)\b/i;

/** qmail, old Exim and others write to people only. */
function inOwnWords(mail: MimePart, parts: readonly MimePart[], original: Original): MailReport {
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
  const line = text.split("\n").find((each) => statusIn(each) !== null || /\b[45]\d\d[ -]/.test(each));
  const action = delayed.test(subject) && !failed ? "delayed" : "failed";
  // A text that names no fault at all is somebody's idea of a reply.
  if (status === null && line === undefined && !failed) return { kind: "none", why: "other" };
  return { kind: "delivery", action, status, reason: line === undefined ? null : words(line), original };
}

/** What a report comes to for the message that it is about. */
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
    const said = [report.reason, status].filter((word) => word !== null).join(" · ");
    return {
      ...none,
      engagements: [{ ...about, kind: "deferred", ...(said === "" ? {} : { reason: said }) }],
    };
  }
  const bounce = bounceOf(status, report.reason ?? "");
  return {
    ...none,
    receipts: [{ ...about, ...code, ...reason, status: "bounced", ...(bounce === null ? {} : { bounce }) }],
  };
}
