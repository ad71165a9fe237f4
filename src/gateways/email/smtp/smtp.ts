// Any mail server that takes mails for delivery: one recipient per mail, encrypted unless the settings say otherwise,
// signed with DKIM where there is a key. A server cannot be asked what became of a mail, so one that may have been
// taken is sent once more under the same Message-ID, by which most mailboxes show it once.

import { wireAddress } from "#contract/address.ts";
import { dkimSignatures } from "#gateways/email/mime/dkim.ts";
import { EncodedFiles } from "#gateways/email/mime/encoded-files.ts";
import { buildMail, messageIdOf } from "#gateways/email/mime/mime.ts";
import { receiveReport } from "#gateways/email/reports/callback.ts";
import { type DkimKey, defineGateway, type Outcome } from "#gateways/gateway.ts";
import type { Clock } from "#runtime/runtime.ts";
import { outcomeOfLoss } from "./outcome.ts";
import { SmtpPool } from "./pool.ts";
import { configuredDkimKey, type SmtpSettings, smtpSettings, smtpTarget, targetUrl } from "./settings.ts";

/** Bytes of files that a gateway keeps encoded for the next mails. */
const keptFiles = 48 * 1024 * 1024;

/** What is kept for settings in use. */
interface Sending {
  pool: SmtpPool;
  files: EncodedFiles;
  key: DkimKey | null;
  clock: Clock;
}

const sending = new WeakMap<SmtpSettings, Sending>();

export const smtp = defineGateway({
  kind: "smtp",
  channels: ["email"],
  title: "SMTP",
  summary: "Email through any mail server, over STARTTLS or TLS, signed with DKIM.",
  settings: smtpSettings,
  onUnknown: "resend",
  urls: (own) => [targetUrl(own)],
  encodedSecrets: (own) => smtpTarget(own).secrets,
  async send(message, own, tools): Promise<Outcome> {
    const { email } = message;
    if (email === undefined) {
      return { kind: "rejected", code: "not_an_email", reason: "SMTP gateways send email only." };
    }
    const kept = openSending(own, tools.clock);
    if (tools.signal.aborted) return outcomeOfLoss({ kind: "aborted" }, "session", []);
    // One after the other: each is read whole while it is encoded.
    const files: Buffer[] = [];
    for (const attachment of email.attachments) files.push(await kept.files.encode(attachment));
    const from = wireAddress(own.from) ?? own.from;
    const now = tools.clock.now();
    const messageId = messageIdOf(message.id, from);
    const fromName = own.from_name ?? null;
    const { recipient } = message;
    const mail = buildMail({ email, recipient, from, fromName, messageId, date: now }, files);
    // Last, when nothing of it changes any more. The gateway's own key wins.
    const signatures = await dkimSignatures(mail, kept.key === null ? tools.dkim : [kept.key], now);
    const envelope = { from: email.returnPath ?? from, to: recipient, id: message.id };
    const outcome = await kept.pool.send(envelope, [signatures, mail], tools);
    // Reports of failure quote the Message-ID; a server's queue id is its own, and may come again.
    return outcome.kind === "taken" ? { kind: "accepted", reference: messageId.slice(1, -1) } : outcome;
  },
  receive: (callback, own, { readReport }) => receiveReport(callback, own.callback_token, readReport),
  close(own) {
    const kept = sending.get(own);
    sending.delete(own);
    kept?.pool.close(kept.clock);
  },
});

function openSending(own: SmtpSettings, clock: Clock): Sending {
  const known = sending.get(own);
  if (known !== undefined) return known;
  const files = new EncodedFiles(keptFiles);
  const pool = new SmtpPool(smtpTarget(own), () => files.clear());
  const made = { pool, files, key: configuredDkimKey(own), clock };
  sending.set(own, made);
  return made;
}
