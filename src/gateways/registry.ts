// The list of all gateway adapters. A kind that is not in it does not exist.

import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import { brevo } from "#gateways/email/brevo/brevo.ts";
import { mailgun } from "#gateways/email/mailgun/mailgun.ts";
import { postmark } from "#gateways/email/postmark/postmark.ts";
import { resend } from "#gateways/email/resend/resend.ts";
import { sendgrid } from "#gateways/email/sendgrid/sendgrid.ts";
import { ses } from "#gateways/email/ses/ses.ts";
import { smtp } from "#gateways/email/smtp/smtp.ts";
import { httpApi } from "#gateways/sms/http-api/http-api.ts";
import { twilio } from "#gateways/sms/twilio/twilio.ts";
import { whatsappCloud } from "#gateways/whatsapp/cloud/cloud.ts";
import type { GatewayAdapter } from "./gateway.ts";
import { sandbox } from "./sandbox.ts";

export const adapters: readonly GatewayAdapter[] = [
  sandbox,
  httpApi,
  twilio,
  whatsappCloud,
  smtp,
  ses,
  sendgrid,
  mailgun,
  postmark,
  resend,
  brevo,
];

/** The adapter of a kind, for a channel that it serves; null: there is none. */
export function findAdapter(kind: string, channel: Channel): GatewayAdapter | null {
  return adapters.find((adapter) => adapter.kind === kind && adapter.channels.includes(channel)) ?? null;
}

/** What gateways of a kind can send; nothing for a kind that does not exist. */
export const contentsOf = (kind: string, channel: Channel): readonly ContentKind[] =>
  findAdapter(kind, channel)?.contents ?? [];
