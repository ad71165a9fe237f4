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
import { android } from "#gateways/sms/android/android.ts";
import { spread } from "#gateways/sms/android/spread.ts";
import { httpApi } from "#gateways/sms/http-api/http-api.ts";
import { smpp } from "#gateways/sms/smpp/smpp.ts";
import { twilio } from "#gateways/sms/twilio/twilio.ts";
import { awsSms } from "#gateways/sms/vendors/platforms/aws-sms.ts";
import { bandwidth } from "#gateways/sms/vendors/platforms/bandwidth.ts";
import { infobip } from "#gateways/sms/vendors/platforms/infobip.ts";
import { messagebird } from "#gateways/sms/vendors/platforms/messagebird.ts";
import { plivo } from "#gateways/sms/vendors/platforms/plivo.ts";
import { sinch } from "#gateways/sms/vendors/platforms/sinch.ts";
import { telnyx } from "#gateways/sms/vendors/platforms/telnyx.ts";
import { vonage } from "#gateways/sms/vendors/platforms/vonage.ts";
import { jasmin } from "#gateways/sms/vendors/self-hosted/jasmin.ts";
import { kannel } from "#gateways/sms/vendors/self-hosted/kannel.ts";
import { elks } from "#gateways/sms/vendors/sms-only/46elks.ts";
import { africastalking } from "#gateways/sms/vendors/sms-only/africastalking.ts";
import { bulksms } from "#gateways/sms/vendors/sms-only/bulksms.ts";
import { clickatell } from "#gateways/sms/vendors/sms-only/clickatell.ts";
import { clicksend } from "#gateways/sms/vendors/sms-only/clicksend.ts";
import { d7 } from "#gateways/sms/vendors/sms-only/d7.ts";
import { gatewayapi } from "#gateways/sms/vendors/sms-only/gatewayapi.ts";
import { seven } from "#gateways/sms/vendors/sms-only/seven.ts";
import { smsglobal } from "#gateways/sms/vendors/sms-only/smsglobal.ts";
import { termii } from "#gateways/sms/vendors/sms-only/termii.ts";
import { textmagic } from "#gateways/sms/vendors/sms-only/textmagic.ts";
import { whatsappCloud } from "#gateways/whatsapp/cloud/cloud.ts";
import { whatsappLinked } from "#gateways/whatsapp/linked/linked.ts";
import type { GatewayAdapter } from "./gateway.ts";
import { sandbox } from "./sandbox.ts";

export const adapters: readonly GatewayAdapter[] = [
  sandbox,
  httpApi,
  twilio,
  smpp,
  android,
  spread,
  vonage,
  plivo,
  infobip,
  sinch,
  telnyx,
  messagebird,
  bandwidth,
  clicksend,
  africastalking,
  termii,
  elks,
  gatewayapi,
  seven,
  awsSms,
  bulksms,
  clickatell,
  smsglobal,
  textmagic,
  d7,
  kannel,
  jasmin,
  whatsappCloud,
  whatsappLinked,
  smtp,
  ses,
  sendgrid,
  mailgun,
  postmark,
  resend,
  brevo,
];

/** The adapter of a kind, for a channel that it serves. Null for an unknown kind. */
export function findAdapter(kind: string, channel: Channel): GatewayAdapter | null {
  return adapters.find((adapter) => adapter.kind === kind && adapter.channels.includes(channel)) ?? null;
}

/** The contents that gateways of a kind can send; none for a kind that does not exist. */
export const contentsOf = (kind: string, channel: Channel): readonly ContentKind[] =>
  findAdapter(kind, channel)?.contents ?? [];

/** The kinds of gateways whose messages are tests. */
export const testKinds: ReadonlySet<string> = new Set(
  adapters.filter(({ test }) => test).map(({ kind }) => kind),
);
