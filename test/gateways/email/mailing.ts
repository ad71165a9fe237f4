// What the tests of the `smtp` gateway send with: a mail, settings for a server on loopback, and real connections
// to it while the clock does not move.

import type { Tools } from "#gateways/email/smtp/connection.ts";
import { type SmtpSettings, smtpSettings } from "#gateways/email/smtp/settings.ts";
import type { DkimKey, EmailContent, OutgoingMessage } from "#gateways/message.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";

const email: EmailContent = {
  kind: "email",
  subject: "Grüße & 100 %",
  text: "Guten Tag,\nalles da?\n.\nEnde",
  html: "<p>Guten Tag,</p>\n<p>alles da?</p>",
  senderName: null,
  replyTo: [],
  headers: [],
  returnPath: null,
  attachments: [],
};

export function sampleEmail(change: Partial<EmailContent> = {}): EmailContent {
  return { ...email, ...change };
}

export function sampleMail(
  change: Partial<EmailContent> = {},
  message: Partial<OutgoingMessage<"email">> = {},
): OutgoingMessage<"email"> {
  const content = sampleEmail(change);
  return {
    id: "msg_01test",
    requestId: "req_01test",
    recipient: "ada@example.net",
    attempt: 1,
    content,
    ...message,
  };
}

/** Plain settings for a server on loopback. */
export function loopbackSettings(port: number, change: Record<string, unknown> = {}): SmtpSettings {
  return smtpSettings.parse({
    host: "localhost",
    port,
    security: "none",
    from: "news@example.com",
    from_name: "Example News",
    name: "trunkline.test",
    ...change,
  });
}

/** The guarded way out, which may reach loopback here; closed with `close`. */
export const loopback = () => createOutbound({ allow: readAllowList("127.0.0.0/8") });

export interface Mailing extends Tools {
  clock: MovableClock;
  callbackUrl: null;
  messageUrl(): null;
  dkim: readonly DkimKey[];
  stop: AbortController;
}

export function mailingTools(change: Partial<Mailing> = {}): Mailing {
  const stop = new AbortController();
  return {
    outbound: loopback(),
    clock: movableClock(),
    callbackUrl: null,
    messageUrl: () => null,
    timeoutMs: 30_000,
    signal: stop.signal,
    dkim: [],
    stop,
    ...change,
  };
}
