// Amazon SES, API v2: SendEmail (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) with simple
// content, which carries headers and attachments, and events through Amazon SNS. SES has no idempotency key: what may
// have been sent stays `unknown`, and the `Send` event, which carries our id as a tag, settles it.

import { z } from "zod";
import {
  asciiMailboxText,
  base64Attachments,
  messageIdTag,
  requireEmail,
  senderOf,
} from "#gateways/email/http-mail.ts";
import { emailFields } from "#gateways/email/settings.ts";
import {
  defineGateway,
  type Outcome,
  type OutgoingEmail,
  type OutgoingMessage,
  type Received,
  secret,
} from "#gateways/gateway.ts";
import { timeoutField } from "#gateways/http-outcome.ts";
import { textAt } from "#gateways/sms/http-api/json-path.ts";
import { vendorOutcome } from "#gateways/vendor-outcome.ts";
import { errorName, faultOf } from "./errors.ts";
import { receivedFrom } from "./events.ts";
import { createCertificates, topicPattern, verifiedNotification } from "./notification.ts";
import { signedHeaders } from "./signature.ts";

const settings = z.strictObject({
  ...emailFields,
  region: z
    .string()
    .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, "Must be an AWS region, such as eu-central-1.")
    .describe("The AWS region in which the sender is verified."),
  access_key_id: z
    .string()
    .regex(/^\w{16,128}$/, "Must be the id of an access key, such as AKIAIOSFODNN7EXAMPLE.")
    .describe("The id of an access key that may do `ses:SendEmail`."),
  secret_access_key: secret().describe("The secret of that access key."),
  configuration_set: z
    .string()
    .regex(/^[\w-]{1,64}$/, "Must be the name of a configuration set.")
    .optional()
    .describe(
      "The configuration set of these mails, whose event destination reports everything. Without one there are only the notifications of the identity: deliveries, bounces and complaints.",
    ),
  topic_arn: z
    .string()
    .regex(topicPattern, "Must be the ARN of an SNS topic.")
    .optional()
    .describe("The SNS topic that SES publishes events to. Messages of any other topic are refused."),
  forward_bounces: z
    .boolean()
    .default(false)
    .describe(
      "Has SES mail bounces to the return path of each message. The domain of return paths must be verified with SES.",
    ),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^?#\s]+$/i, "Must be an http or https URL without a query.")
    .optional()
    .describe("SES's API, for a VPC endpoint or a test double. Default: the public one of the region."),
  timeout_ms: timeoutField,
});

type SesSettings = z.output<typeof settings>;

const certificates = createCertificates();

export const ses = defineGateway({
  kind: "ses",
  channels: ["email"],
  title: "Amazon SES",
  summary: "Email through Amazon SES, with events through a signed Amazon SNS topic.",
  settings,
  // In base64 (https://docs.aws.amazon.com/ses/latest/dg/quotas.html).
  maxMessageBytes: 40 * 1024 * 1024,
  urls: (own) => [sendUrl(own)],
  async send(message, own, tools): Promise<Outcome> {
    const url = sendUrl(own);
    const body = JSON.stringify(await requestOf(message, own));
    const now = tools.clock.now();
    const key = {
      accessKeyId: own.access_key_id,
      secretAccessKey: own.secret_access_key,
      region: own.region,
      service: "ses",
    };
    const headers = { accept: "application/json", "content-type": "application/json" };
    const result = await tools.outbound.request({
      method: "POST",
      url,
      headers: signedHeaders({ method: "POST", url, headers, body }, key, now),
      body,
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    return vendorOutcome(result, {
      vendor: "SES",
      secrets: [own.secret_access_key],
      now,
      reference: (json) => textAt(json, "$.MessageId"),
      code: (json, answer) =>
        errorName(answer.headers["x-amzn-errortype"] ?? textAt(json, "$.__type") ?? textAt(json, "$.code")),
      faultOf: (code, _status, text) => faultOf(code, text, own.from),
    });
  },
  async receive(callback, own, tools): Promise<Received> {
    if (own.topic_arn === undefined) {
      return { kind: "not_configured", reason: "The gateway has no SNS topic." };
    }
    const notification = await verifiedNotification(callback, own.topic_arn, certificates, tools);
    switch (notification.kind) {
      case "notification":
        return receivedFrom(notification.message, notification.id);
      case "subscription":
        return { kind: "received", receipts: [], inbound: [], confirmUrl: notification.url };
      case "ended":
        return { kind: "received", receipts: [], inbound: [] };
      default:
        return notification;
    }
  },
});

function sendUrl(own: SesSettings): string {
  const domain = own.region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const base = own.base_url ?? `https://email.${own.region}.${domain}`;
  return `${base.replace(/(?<!\/)\/+$/, "")}/v2/email/outbound-emails`;
}

async function requestOf(message: OutgoingMessage, own: SesSettings): Promise<object> {
  const email = requireEmail(message);
  return {
    FromEmailAddress: asciiMailboxText(senderOf(email, own)),
    Destination: { ToAddresses: [message.recipient] },
    ...(email.replyTo === null ? {} : { ReplyToAddresses: [email.replyTo] }),
    ...(own.forward_bounces && email.returnPath !== null
      ? { FeedbackForwardingEmailAddress: email.returnPath }
      : {}),
    Content: { Simple: await contentOf(email) },
    EmailTags: [{ Name: messageIdTag, Value: message.id }],
    ...(own.configuration_set === undefined ? {} : { ConfigurationSetName: own.configuration_set }),
  };
}

/** At most 15 headers of 870 ASCII characters; 40 MB in all. */
async function contentOf(email: OutgoingEmail): Promise<object> {
  const text = (data: string) => ({ Data: data, Charset: "UTF-8" });
  const attachments = await base64Attachments(email);
  return {
    Subject: text(email.subject),
    Body: {
      ...(email.text === "" && email.html !== null ? {} : { Text: text(email.text) }),
      ...(email.html === null ? {} : { Html: text(email.html) }),
    },
    ...(email.headers.length === 0
      ? {}
      : { Headers: email.headers.map(([name, value]) => ({ Name: name, Value: value })) }),
    ...(attachments.length === 0
      ? {}
      : {
          Attachments: attachments.map(({ filename, contentType, base64 }) => ({
            FileName: filename,
            ContentType: contentType,
            ContentDisposition: "ATTACHMENT",
            // The default is 7bit, which would break every other file.
            ContentTransferEncoding: "BASE64",
            RawContent: base64,
          })),
        }),
  };
}
