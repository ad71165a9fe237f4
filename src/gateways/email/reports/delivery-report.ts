// Reports that mail servers send about a mail: delivery status (RFC 3464), complaints (ARF, RFC 5965), and the plain text of older servers.
// Everything else is ignored, above all automatic replies.

import { bounceOf, replyStatusIn, statusIn } from "#contract/messages/bounce-class.ts";
import type { Engagement, Receipt } from "#gateways/callback.ts";
import { oneLine } from "#settings/redact.ts";
import { decodedWords, type Headers, type MimePart, readFields, readParts } from "./mime-parts.ts";

export type MailReport =
  | {
      kind: "delivery";
      /** `delayed`: the server continues to try. */
      action: "failed" | "delayed" | "delivered";
      /** An enhanced status code. */
      status: string | null;
      /** In the server's words, on one line. */
      reason: string | null;
      /** The address that the report is about; null if it names none. */
      recipient: string | null;
      /** What the same report says about other addresses. */
      others: readonly RecipientReport[];
      original: Original;
    }
  | { kind: "complaint" | "unsubscribe"; reason: string | null; original: Original }
  /** `auto_reply`: out of office and the like. `other`: no report, or an unreadable one. */
  | { kind: "none"; why: "auto_reply" | "other" };

/** What a report says about one address. */
type RecipientReport = Pick<
  Extract<MailReport, { kind: "delivery" }>,
  "action" | "status" | "reason" | "recipient"
>;

/** What a report says about the mail that it returns. Anyone can write that, so it proves nothing. */
interface Original {
  /** Our id (`msg_…`), if its headers contain it. */
  messageId: string | null;
}

/** Reasons are truncated to their final length when they are stored, after secrets were masked. */
const maxReasonChars = 4000;
const cleanReason = (text: string) => oneLine(text).slice(0, maxReasonChars);

/** Reads at most the first MiB. Never throws. */
export function readReport(raw: Uint8Array): MailReport {
  const parts = readParts(raw);
  const [mail] = parts;
  if (mail === undefined) return { kind: "none", why: "other" };
  const original = { messageId: originalId(parts) };
  const status = parts.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type));
  const fields = status && deliveryReport(status.body, original);
  if (fields) return fields;
  // It was relayed or expanded, which is no news about its delivery.
  if (status && hasAction.test(status.body)) return { kind: "none", why: "other" };
  const feedback = parts.find(({ type }) => type === "message/feedback-report");
  if (feedback) return feedbackReport(readFields(feedback.body), original);
  // A person's program says that they read the mail, or deleted it unread.
  if (parts.some(({ type }) => /^message\/(?:global-)?disposition-notification$/.test(type)))
    return { kind: "none", why: "auto_reply" };
  return microsoftComplaint(mail, parts, original) ?? plainTextReport(mail, parts, original);
}

const ourId = /\bmsg_[0-7][0-9a-hjkmnp-tv-z]{25}\b/;
const idHeaders = ["x-trunkline-message", "message-id"] as const;

const headOf = (text: string): Headers => {
  const end = text.indexOf("\n\n");
  return readFields(end === -1 ? text : text.slice(0, end));
};

const isReturned = ({ type }: MimePart): boolean =>
  /^(?:message\/(?:global|rfc822)|text\/rfc822-headers|message\/global-headers)$/.test(type);

/** A header of the mail in a copy of it that is part of the text, as Exim and qmail send it. */
const copiedId = /^[>| \t]{0,8}(?:x-trunkline-message|message-id)[ \t]?:[^\n]{0,300}/gim;

/** Where the copy begins, in which there may be anything. */
const copyBegin =
  /^(?:--[^\n]{0,100}\b(?:copy|original|returned|headers)\b|[>| \t]{0,8}(?:x-trunkline-message|message-id|return-path|received)[ \t]?:)/im;

/**
 * Our id: from the headers of the mail that is returned with the report, from a copy of them in its text, or from the headers of the report
 * that refer to our mail (Gmail, Exchange).
 */
function originalId(parts: readonly MimePart[]): string | null {
  const idIn = (text: string | undefined) => ourId.exec(text ?? "")?.[0];
  for (const part of parts.filter(isReturned)) {
    const headers = headOf(part.body);
    for (const name of idHeaders) {
      const id = idIn(headers.get(name));
      if (id !== undefined) return id;
    }
  }
  for (const { type, body } of parts) {
    if (type !== "text/plain") continue;
    for (const [line] of body.matchAll(copiedId)) {
      const id = idIn(line);
      if (id !== undefined) return id;
    }
  }
  const headers = parts[0]?.headers;
  return idIn(headers?.get("in-reply-to")) ?? idIn(headers?.get("references")) ?? null;
}

const hasAction = /^[ \t]*action[ \t]*:/im;
const actions = { failed: 3, delayed: 2, delivered: 1 } as const;
const isAction = (text: string): text is keyof typeof actions => Object.hasOwn(actions, text);

/** `rfc822; ada@example.com`: the address, with what surrounds it removed. */
function addressIn(field: string | undefined): string | null {
  const address =
    field
      ?.slice(field.indexOf(";") + 1)
      .trim()
      .replace(/^<|>$/g, "") ?? "";
  return address === "" || address.length > 320 ? null : address;
}

/** The recipient with the worst result, and the others: a report has several if the mail had, or if its address is a mailing list. */
function deliveryReport(text: string, original: Original): MailReport | null {
  const reports: RecipientReport[] = [];
  for (const block of text.split(/\n[ \t]*\n/).slice(0, 100)) {
    const fields = readFields(block.replace(/^\n+/, ""));
    const action =
      fields
        .get("action")
        ?.toLowerCase()
        .split(/[\s;(]/, 1)[0] ?? "";
    if (!isAction(action)) continue;
    const diagnostic = fields.get("diagnostic-code");
    const reported = /[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get("status") ?? "")?.[0] ?? null;
    // The receiving server's own code comes first; if a relay has only `5.0.0` to say, any code in the reply is used.
    const isVague = reported === null || /\.0\.0$/.test(reported);
    const replied = replyStatusIn(diagnostic ?? "") ?? (isVague ? statusIn(diagnostic ?? "") : null);
    const status = replied ?? reported;
    const reason =
      diagnostic === undefined ? null : cleanReason(diagnostic.replace(/^\s*[\w-]{1,20}\s*;/, ""));
    // The address that the mail was sent to; the final one is where it was forwarded.
    const recipient = addressIn(fields.get("original-recipient")) ?? addressIn(fields.get("final-recipient"));
    reports.push({ action, status, reason, recipient });
  }
  const worst = reports.reduce<RecipientReport | null>(
    (known, report) => (known === null || actions[report.action] > actions[known.action] ? report : known),
    null,
  );
  if (worst === null) return null;
  const others = new Map(reports.map((report) => [report.recipient, report]));
  others.delete(worst.recipient);
  others.delete(null);
  return { kind: "delivery", ...worst, others: [...others.values()], original };
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

/** Microsoft's complaints (JMRP) are not ARF: the mail is attached unchanged, with one of their headers. */
function microsoftComplaint(
  { headers }: MimePart,
  parts: readonly MimePart[],
  original: Original,
): MailReport | null {
  if (!/@hotmail\.com\b/i.test(headers.get("from") ?? "")) return null;
  const isMarked = parts.some(
    (part) => isReturned(part) && headOf(part.body).has("x-hmxmroriginalrecipient"),
  );
  if (!isMarked && !/^complaint about message from /i.test(headers.get("subject") ?? "")) return null;
  return { kind: "complaint", reason: "Feedback report: Microsoft", original };
}

const daemon =
  /\b(?:mailer[ -]?daemon|post_?master|mail deliver(?:y)? (?:sub)?system|(?:mail|system|ndr) administrator|mdaemon|mail system|mail\.delivery\.system)\b|^\s*(?:"[^"]{0,100}"\s*)?<>\s*$/i;
const returned =
  /\b(?:failure notice|undeliver(?:able|ed)|delivery (?:status|notification|report|failed|failure|error|has failed)|non-?delivery|(?:mail|message) (?:delivery )?(?:failed|failure)|(?:failed|failure) delivery|error sending your mail|return(?:ed|ing) (?:mail|to sender)|send(?:er)? mail for past|mail (?:system )?error|could not be delivered|not delivered|delivery to the following|unzustellbar|zustellung fehlgeschlagen|non remis|.chec de (?:la )?(?:remise|distribution)|no se (?:ha podido|pudo) entregar|devuelto|mancato recapito|niet (?:te )?bezorg)/i;
const delayed = /\b(?:delay(?:ed)?|warning|will be retried|still being retried|not yet been delivered)\b/i;

/** A reply's basic code: not part of an address or of another number. */
const basicCode = /(?<![\d.])[45][0-5]\d(?!\d|\.\d)/;

/** The line and its continuations: servers break a reply anywhere. */
function replyFrom(lines: readonly string[], from: number): string {
  const reply = [lines[from] ?? ""];
  for (const line of lines.slice(from + 1, from + 6)) {
    if (line.trim() === "") break;
    const isCut = /[45]\d\d[- :]*$/.test(reply.at(-1)!.trim());
    if (!isCut && !basicCode.test(line) && !/^[ \t]/.test(line)) break;
    reply.push(line);
  }
  return reply.join(" ");
}

/** The text of the mail for people. */
function textOf(parts: readonly MimePart[]): string {
  const plain = parts.find(({ type, body }) => type === "text/plain" && body.trim() !== "");
  if (plain !== undefined) return plain.body;
  const html = parts.find(({ type }) => type === "text/html")?.body ?? "";
  return html.slice(0, 20_000).replaceAll(/<[^<>]{0,500}>/g, "\n");
}

/** The reason given in a text for people, or null if there is none. `failed`: the addresses that its headers name. */
function reasonIn(lines: readonly string[], failed: string): string | null {
  const coded = lines.findIndex((line) => statusIn(line) !== null || basicCode.test(line));
  if (coded !== -1) return replyFrom(lines, coded);
  const worded = lines.findIndex((line) => bounceOf(null, line) === "hard");
  if (worded !== -1) return replyFrom(lines, worded);
  // Exim's own findings are below the address, and have no code.
  const address = failed.split(",", 1)[0]?.trim().toLowerCase() ?? "";
  if (address === "") return null;
  const named = lines.findIndex((line) => line.toLowerCase().includes(address));
  const below = named === -1 ? "" : replyFrom(lines, named + 1).trim();
  return below === "" ? null : below;
}

/** qmail, Exim and others send plain text for people, some of them with the fields of a report in it. */
function plainTextReport(mail: MimePart, parts: readonly MimePart[], original: Original): MailReport {
  const { headers } = mail;
  const subject = decodedWords(headers.get("subject") ?? "");
  const from = decodedWords(headers.get("from") ?? "");
  const failed = headers.get("x-failed-recipients");
  if (failed === undefined && !(daemon.test(from) && (returned.test(subject) || delayed.test(subject)))) {
    const automatic = !/^\s*(?:no\b|$)/i.test(headers.get("auto-submitted") ?? "");
    const marked = ["x-autoreply", "x-autorespond", "x-auto-response-suppress"].some((name) =>
      headers.has(name),
    );
    const bulk = /\b(?:auto_reply|bulk|junk)\b/i.test(headers.get("precedence") ?? "");
    return { kind: "none", why: automatic || marked || bulk ? "auto_reply" : "other" };
  }
  const whole = textOf(parts);
  const copy = whole.search(copyBegin);
  const text = whole.slice(0, copy === -1 ? 4000 : Math.min(4000, copy));
  const fields = hasAction.test(text)
    ? deliveryReport(text.replaceAll(/^[ \t]+(?=[\w-]+[ \t]*:)/gm, ""), original)
    : null;
  if (fields !== null) return fields;
  const reason = reasonIn(text.split("\n"), failed ?? "");
  return {
    kind: "delivery",
    action: delayed.test(subject) ? "delayed" : "failed",
    status: replyStatusIn(reason ?? "") ?? statusIn(reason ?? ""),
    reason: reason === null ? null : cleanReason(reason),
    recipient: failed === undefined || failed.includes(",") ? null : addressIn(failed),
    others: [],
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
  if (report.kind !== "delivery") {
    const reason = report.reason === null ? {} : { reason: report.reason };
    const kind = report.kind === "complaint" ? ("complained" as const) : ("unsubscribed" as const);
    return { ...none, engagements: [{ ...about, ...reason, kind, key: kind }] };
  }
  const each = [report, ...report.others].map((one) => reportOf(one, messageId));
  return {
    receipts: each.filter((one): one is Receipt => "status" in one),
    engagements: each.filter((one): one is Engagement => "kind" in one),
  };
}

function reportOf(
  { action, status, reason, recipient }: RecipientReport,
  messageId: string,
): Receipt | Engagement {
  const about = { reference: null, messageId, ...(recipient === null ? {} : { recipient }) };
  if (action === "delivered") return { ...about, status: "delivered" };
  if (action === "delayed") {
    const text = [reason, status].filter((word) => word !== null).join(" · ");
    return { ...about, kind: "deferred", ...(text === "" ? {} : { reason: text }) };
  }
  const bounce = bounceOf(status, reason ?? "");
  return {
    ...about,
    ...(status === null ? {} : { code: status }),
    ...(reason === null ? {} : { reason }),
    status: "bounced",
    ...(bounce === null ? {} : { bounce }),
  };
}
