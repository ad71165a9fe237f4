// Any mail server that accepts mails for delivery: one transmission per mail, to all of its recipients, encrypted unless the settings say otherwise, signed with DKIM if
// there is a key. A server cannot be asked about a past mail, so one that may have been accepted is sent once more under the same
// Message-ID; most mailboxes then show it once.

import { isAscii } from "node:buffer";
import { wireAddress } from "#contract/address.ts";
import { finished } from "#gateways/email/mail-text/finished.ts";
import { dkimSignatures } from "#gateways/email/mime/dkim.ts";
import { EncodedFiles } from "#gateways/email/mime/encoded-files.ts";
import { buildMail, messageIdOf } from "#gateways/email/mime/mime.ts";
import { receiveReport } from "#gateways/email/reports/callback.ts";
import { emailSender } from "#gateways/email/settings.ts";
import { defineGateway } from "#gateways/gateway.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { outcomeOfDisconnect } from "./outcome.ts";
import { SmtpPool } from "./pool.ts";
import { configuredDkimKey, smtpSettings, smtpTarget, targetUrl } from "./settings.ts";

/** Bytes of encoded files that a gateway caches for the next mails. */
const maxCachedBytes = 48 * 1024 * 1024;

export const smtp = defineGateway({
  kind: "smtp",
  channels: ["email"],
  contents: ["email"],
  title: "SMTP",
  summary: "Email through any mail server, over STARTTLS or TLS, signed with DKIM.",
  settings: smtpSettings,
  onUnknown: "resend",
  urls: (settings) => [targetUrl(settings)],
  timeoutMs: (settings) => settings.timeout_ms,
  mail: { whole: true, sender: (settings) => emailSender(settings, settings.host) },
  encodedSecrets: (settings) => smtpTarget(settings).secrets,
  connection: "on_demand",
  async open(settings, host) {
    const files = new EncodedFiles(maxCachedBytes);
    const pool = new SmtpPool(smtpTarget(settings), () => files.clear());
    const key = configuredDkimKey(settings);
    return {
      async send(message, signal): Promise<Outcome> {
        const { content: email, recipient } = message;
        if (signal.aborted) return outcomeOfDisconnect({ kind: "aborted" }, "session", []);
        // One after the other: each is read whole while it is encoded.
        const encodedFiles: Buffer[] = [];
        for (const attachment of email.attachments) encodedFiles.push(await files.encode(attachment));
        const from = wireAddress(settings.from) ?? settings.from;
        const now = host.clock.now();
        const messageId = messageIdOf(message.id, from);
        const fromName = settings.from_name ?? null;
        const mail =
          email.written === undefined
            ? buildMail({ email, recipient, from, fromName, messageId, date: now }, encodedFiles)
            : finished(email.written.raw, { id: message.id, messageId, headers: email.headers });
        // Signed last, when the mail no longer changes. The key in the settings takes precedence.
        const signatures = await dkimSignatures(mail, key === null ? host.dkim : [key], now);
        const { to = [], cc = [], bcc = [] } = email.copies ?? {};
        const recipients = email.written?.recipients ?? [recipient, ...to, ...cc, ...bcc];
        const envelope = {
          from: email.returnPath ?? email.from ?? from,
          to: recipients,
          id: message.id,
          eightBit: email.written !== undefined && !isAscii(email.written.raw),
        };
        const { outbound, clock, timeoutMs } = host;
        const tools = { outbound, clock, timeoutMs, signal };
        const outcome = await pool.send(envelope, [signatures, mail], tools);
        // Reports of failure quote the Message-ID. A server's queue id is local to it, and may be reused.
        return outcome.kind === "accepted" ? { ...outcome, reference: messageId.slice(1, -1) } : outcome;
      },
      close: async () => pool.close(host.clock),
    };
  },
  receive: (callback, settings, { readReport }) =>
    receiveReport(callback, settings.callback_token, readReport),
});
