// Reports on mails to several: each is about the recipient that it names, and decides the message together with the others.

import type { ReceiptStep } from "#contract/messages/states.ts";
import { applyToRecipient, type RecipientBatch } from "#store/email/mail-recipients.ts";
import type { LockedMessage, TransitionBatch, TransitionDetails } from "#store/messages/transitions.ts";
import type { MailRecipientsTable } from "#store/schema/email.ts";
import type { BounceReport } from "./bounces.ts";

interface MailReport {
  step: ReceiptStep;
  details: TransitionDetails;
  bounce?: "hard" | "soft" | null;
  /** Normalised; null if the report names no address. */
  recipient?: string | null;
}

/** Like `applyReceipt`, for a mail to several. The report is about the recipient that it names, and decides the message with the others. */
export function applyToMail(
  changes: TransitionBatch,
  row: LockedMessage,
  { step, details, bounce, recipient = null }: MailReport,
  several: readonly MailRecipientsTable[],
  recipients: RecipientBatch,
): BounceReport[] {
  // A message without an attempt was never sent, so the report cannot be about it.
  if (row.attempts === 0) return [];
  const { code = null, message = null } = details;
  const verdict = applyToRecipient(several, { step, recipient, code, message });
  const address = verdict.row?.address ?? "The report names no recipient";
  const entry = { ...details, detail: `${address}: ${details.detail}`.slice(0, 600) };
  const isMoved =
    verdict.kind === "step" &&
    changes.apply(row, { by: "receipt", step: verdict.step }, verdict.row === null ? details : entry);
  if (verdict.kind === "step" && verdict.row !== null) recipients.changed(verdict.row);
  const isNews = verdict.kind === "step" ? verdict.row !== null : verdict.row === null;
  // Not even the event of a message that moved says it: with another recipient who has the mail, it is `delivered`.
  const isLoneBounce = step === "bounced" && isNews && verdict.row !== null && row.status !== "bounced";
  if (isLoneBounce || (!isMoved && isNews && step !== "sent"))
    changes.addTimelineEntry(row, `recipient_${step}`, entry, isLoneBounce ? {} : null);
  if (verdict.row === null || row.attempts === 0) return [];
  const report = {
    message: { ...row, recipient: verdict.row.recipient },
    at: details.at,
    note: details.detail,
  };
  if (step === "delivered" || step === "read") return [{ ...report, verdict: "reached" }];
  if (step !== "bounced" || !bounce) return [];
  return bounce === "hard" || verdict.kind === "step" ? [{ ...report, verdict: bounce }] : [];
}
