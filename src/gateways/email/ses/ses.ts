// Amazon SES, API v2: SendEmail (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) with simple
// content, which carries headers and attachments, and events through Amazon SNS. SES has no idempotency key: a mail that
// may have been sent stays `unknown` until the `Send` event, which carries our id as a tag, settles it.

import { z } from "zod";
import { createCertificates, topicPattern, verifiedNotification } from "#gateways/aws/notification.ts";
import type { Received } from "#gateways/callback.ts";
import {
  asciiMailboxText,
  base64Attachments,
  defineHttpMail,
  type EmailMessage,
  jsonRequest,
  messageIdTag,
  recipientsOf,
  senderOf,
  tagPairs,
} from "#gateways/email/http-mail.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { textAt } from "#gateways/json-path.ts";
import type { EmailContent } from "#gateways/message.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";
import { signedHeaders } from "#settings/aws-signature.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";
import { receivedFrom } from "./events.ts";

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
  base_url: baseUrlField()
    .optional()
    .describe("SES's API, for a VPC endpoint or a test double. Default: the public one of the region."),
  timeout_ms: timeoutField,
});

type SesSettings = z.output<typeof settings>;

const certificates = createCertificates();

export const ses = defineHttpMail({
  kind: "ses",
  title: "Amazon SES",
  summary: "Email through Amazon SES, with events through a signed Amazon SNS topic.",
  settings,
  // In base64 (https://docs.aws.amazon.com/ses/latest/dg/quotas.html).
  maxMessageBytes: 40 * 1024 * 1024,
  url: sendUrl,
  async request(message, settings, { url, now }) {
    const { headers, body } = jsonRequest({}, await bodyOf(message, settings));
    const key = {
      accessKeyId: settings.access_key_id,
      secretAccessKey: settings.secret_access_key,
      region: settings.region,
      service: "ses",
    };
    return { headers: signedHeaders({ method: "POST", url, headers, body }, key, now), body };
  },
  answer: ({ from }) => ({
    vendor: "SES",
    reference: (json) => textAt(json, "$.MessageId"),
    code: (json, { headers }) =>
      errorName(headers["x-amzn-errortype"] ?? textAt(json, "$.__type") ?? textAt(json, "$.code")),
    faultOf: ({ code, text }) => faultOf(code, text, from),
  }),
  async receive(callback, settings, tools): Promise<Received> {
    if (settings.topic_arn === undefined) {
      return { kind: "not_configured", reason: "The gateway has no SNS topic." };
    }
    const notification = await verifiedNotification(callback, settings.topic_arn, certificates, tools);
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

function sendUrl({ base_url, region }: SesSettings): string {
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return joinUrl(base_url ?? `https://email.${region}.${domain}`, "/v2/email/outbound-emails");
}

async function bodyOf(message: EmailMessage, settings: SesSettings): Promise<object> {
  const { id, content: email } = message;
  const { to, cc, bcc } = recipientsOf(message);
  return {
    FromEmailAddress: asciiMailboxText(senderOf(email, settings)),
    Destination: {
      ToAddresses: to.map(asciiMailboxText),
      ...(cc.length === 0 ? {} : { CcAddresses: cc.map(asciiMailboxText) }),
      ...(bcc.length === 0 ? {} : { BccAddresses: bcc.map(asciiMailboxText) }),
    },
    ...(email.replyTo.length === 0 ? {} : { ReplyToAddresses: email.replyTo.map(asciiMailboxText) }),
    ...(settings.forward_bounces && email.returnPath !== null
      ? { FeedbackForwardingEmailAddress: email.returnPath }
      : {}),
    Content: { Simple: await contentOf(email) },
    EmailTags: [
      { Name: messageIdTag, Value: id },
      ...tagPairs(email).map(([Name, Value]) => ({ Name, Value })),
    ],
    ...(settings.configuration_set === undefined ? {} : { ConfigurationSetName: settings.configuration_set }),
  };
}

/** At most 15 headers of 870 ASCII characters; 40 MB in all. */
async function contentOf(email: EmailContent): Promise<object> {
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
          Attachments: attachments.map(({ filename, contentType, base64, contentId }) => ({
            FileName: filename,
            ContentType: contentType,
            ...(contentId === undefined
              ? { ContentDisposition: "ATTACHMENT" }
              : { ContentDisposition: "INLINE", ContentId: contentId }),
            // The default is 7bit, which would break every binary file.
            ContentTransferEncoding: "BASE64",
            RawContent: base64,
          })),
        }),
  };
}

/**
 * Errors (the page of SendEmail, and CommonErrors.html beside it). AWS answers 400 to most faults of the account, so judged by the status
 * alone, a wrongly configured gateway would reject every mail.
 */
const faults = new Map<string, Fault>([
  ["BadRequestException", "unclear"], // the input is not valid
  ["ValidationError", "unclear"],
  ["ValidationException", "unclear"],
  ["MessageRejected", "unclear"], // "contains invalid content"; see below
  ["AccountSuspendedException", "configuration"], // sending is restricted for good
  ["SendingPausedException", "configuration"],
  ["MailFromDomainNotVerifiedException", "configuration"],
  ["NotFoundException", "configuration"], // no such configuration set
  ["LimitExceededException", "configuration"], // a quota of the AWS account
  ["AccessDenied", "configuration"],
  ["AccessDeniedException", "configuration"],
  ["ExpiredToken", "configuration"],
  ["ExpiredTokenException", "configuration"],
  ["IncompleteSignature", "configuration"],
  ["IncompleteSignatureException", "configuration"],
  ["InvalidClientTokenId", "configuration"],
  ["InvalidSignatureException", "configuration"], // also: this machine's clock is wrong
  ["MissingAuthenticationToken", "configuration"],
  ["MissingAuthenticationTokenException", "configuration"],
  ["NotAuthorized", "configuration"],
  ["OptInRequired", "configuration"],
  ["RequestExpired", "configuration"], // this machine's clock is wrong
  ["SignatureDoesNotMatch", "configuration"],
  ["UnknownOperationException", "configuration"],
  ["UnrecognizedClientException", "configuration"],
  ["TooManyRequestsException", "transient"], // the sending rate; see below
  ["Throttling", "transient"],
  ["ThrottlingException", "transient"],
]);

/**
 * Undefined for an error that is not listed. `from`: the gateway's address.
 * - SES also answers `MessageRejected` for an address or domain that is not verified, and names it: the sender's is the
 *   gateway's fault, any other is a recipient of an account in the sandbox.
 * - Rate and daily quota have the same error: the quota is of a rolling day, in which it refuses every mail.
 */
export function faultOf(code: string, text: string, from: string): Fault | undefined {
  const fault = faults.get(code);
  if (fault === "unclear" && /not verified/i.test(text)) {
    const words = text.toLowerCase().split(/[\s,]+/);
    const sender = from.toLowerCase();
    const names = [sender, sender.slice(sender.lastIndexOf("@") + 1)];
    return words.some((word) => names.includes(word.replace(/(?<![.;:])[.;:]+$/, "")))
      ? "configuration"
      : "permanent";
  }
  if (fault === "transient" && /\b(?:daily|24.hour)\b/i.test(text)) return "configuration";
  return fault;
}

/** The error's name: from the header (`Name:http://…`), or from the body (`com.amazonaws…#Name`). */
export function errorName(text: string | null): string | null {
  const name = (text ?? "").split(":")[0]?.split("#").at(-1)?.trim() ?? "";
  return name === "" ? null : name;
}
