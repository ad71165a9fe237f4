// Every kind of gateway there is. A kind that is not in this list does not exist.

import type { Channel } from "#contract/messages/channel.ts";
import { brevo } from "./email/brevo.ts";
import { mailgun } from "./email/mailgun.ts";
import { postmark } from "./email/postmark.ts";
import { resend } from "./email/resend.ts";
import { sendgrid } from "./email/sendgrid.ts";
import { ses } from "./email/ses.ts";
import { smtp } from "./email/smtp.ts";
import type { Gateway } from "./gateway.ts";
import { sandbox } from "./sandbox.ts";
import { httpApi } from "./sms/http-api.ts";
import { twilio } from "./sms/twilio.ts";

export const gateways: readonly Gateway[] = [
  sandbox,
  httpApi,
  twilio,
  smtp,
  ses,
  sendgrid,
  mailgun,
  postmark,
  resend,
  brevo,
];

/** The gateway of a kind, for a channel that it serves; null when there is none. */
export function gatewayOf(kind: string, channel: Channel): Gateway | null {
  return gateways.find((gateway) => gateway.kind === kind && gateway.channels.includes(channel)) ?? null;
}
