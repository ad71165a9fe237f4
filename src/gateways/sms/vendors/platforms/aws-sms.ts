// AWS End User Messaging SMS (https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/): SendTextMessage, events and incoming
// messages through signed Amazon SNS topics. There is no idempotency key; our id comes back in the context of events.
// Unverified: the names of fields in events and in incoming messages.

import { z } from "zod";
import { topicPattern } from "#gateways/aws/notification.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { sigV4 } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField } from "#gateways/sms/engine/http-sms.ts";
import { sns } from "#gateways/sms/engine/proof-sns.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";

const topicField = z.string().regex(topicPattern, "Must be the ARN of an SNS topic.").optional();

const settings = z.strictObject({
  region: z
    .string()
    .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, "Must be an AWS region, such as eu-central-1.")
    .describe("The AWS region of the origination identity."),
  access_key_id: z
    .string()
    .regex(/^\w{16,128}$/, "Must be the id of an access key, such as AKIAIOSFODNN7EXAMPLE.")
    .describe("The id of an access key that may do `sms-voice:SendTextMessage`."),
  secret_access_key: secret().describe("The secret of that access key."),
  from: fromField.describe("The origination identity: a number, a sender id, a pool, or the ARN of one."),
  message_type: z
    .enum(["TRANSACTIONAL", "PROMOTIONAL"])
    .default("TRANSACTIONAL")
    .describe("The type of the messages."),
  configuration_set: z
    .string()
    .regex(/^[\w-]{1,64}$/, "Must be the name of a configuration set.")
    .optional()
    .describe("The configuration set, whose event destination reports to the topic."),
  topic_arn: topicField.describe("The SNS topic of events. Messages of any other topic are refused."),
  inbound_topic_arn: topicField.describe("The SNS topic of two-way SMS, if it is another one."),
  base_url: baseUrlField()
    .optional()
    .describe("The API, for a VPC endpoint or a test double. Default: the public one of the region."),
  timeout_ms: timeoutField,
});

/** Failures that are not final are followed by another event. */
const successes = new Set(["TEXT_SENT", "TEXT_PENDING", "TEXT_QUEUED", "TEXT_SUCCESSFUL", "TEXT_DELIVERED"]);

/** The type comes as namespace#Name. */
const exceptionType = (json: Json) => textAt(json, "$.__type")?.split("#").at(-1) ?? null;

export const awsSms = defineHttpSms({
  kind: "aws-sms",
  title: "AWS End User Messaging SMS",
  summary: "SMS through AWS, with events and incoming messages through signed Amazon SNS topics.",
  settings,
  url: ({ base_url, region }) =>
    joinUrl(
      base_url ??
        `https://sms-voice.${region}.${region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"}`,
      "/",
    ),
  auth: ({ access_key_id, secret_access_key, region }) =>
    sigV4({ accessKeyId: access_key_id, secretAccessKey: secret_access_key, region, service: "sms-voice" }),
  request: ({ id, to, text }, { from, message_type, configuration_set }, url) => ({
    url,
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "PinpointSMSVoiceV2.SendTextMessage",
    },
    json: {
      DestinationPhoneNumber: to,
      OriginationIdentity: from,
      MessageBody: text,
      MessageType: message_type,
      ConfigurationSetName: configuration_set,
      Context: { id },
    },
  }),
  answer: answerFormat({
    vendor: "AWS",
    reference: "$.MessageId",
    // The reason says more, and there are many: if the table does not list it, its type decides.
    code: (json) => textAt(json, "$.Reason") ?? exceptionType(json),
    widerCode: exceptionType,
    text: ["$.Message", "$.message"],
    faults: {
      opted_out: ["DESTINATION_PHONE_NUMBER_OPTED_OUT"],
      permanent: [
        "DESTINATION_PHONE_NUMBER_NOT_VERIFIED",
        "DESTINATION_COUNTRY_BLOCKED*",
        "DESTINATION_PHONE_NUMBER_BLOCKED*",
        "PRICE_OVER_THRESHOLD",
        "COUNTRY_CODE_MISMATCH",
        "FIELD_VALIDATION_FAILED",
      ],
      configuration: [
        "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT",
        "ServiceQuotaExceededException",
        "AccessDeniedException",
        "ACCOUNT_DISABLED",
        "INSUFFICIENT_ACCOUNT_REPUTATION",
        "ResourceNotFoundException",
        "ConflictException",
        "SENDER_ID_*",
        "INVALID_IDENTITY_FOR_DESTINATION_COUNTRY",
        "RESOURCE_NOT_ACCESSIBLE",
        "UnrecognizedClientException",
        "InvalidSignatureException",
        "ExpiredTokenException",
      ],
      transient: ["ThrottlingException"],
    },
  }),
  callback: {
    proofs: [sns(({ topic_arn, inbound_topic_arn }) => [topic_arn, inbound_topic_arn])],
    receipt: {
      reference: "$.messageId",
      id: "$.context.id",
      status: (report) => {
        const type = textAt(report, "$.eventType");
        const isFollowed = textAt(report, "$.isFinal") === "false" && type !== null && !successes.has(type);
        return isFollowed ? "NOT_FINAL" : type;
      },
      words: wordReader({
        // Successful means passed on to the operator.
        sent: ["TEXT_SENT", "TEXT_PENDING", "TEXT_QUEUED", "TEXT_SUCCESSFUL", "TEXT_UNKNOWN"],
        delivered: ["TEXT_DELIVERED"],
        undelivered: [
          "TEXT_UNREACHABLE",
          "TEXT_CARRIER_UNREACHABLE",
          "TEXT_CARRIER_BLOCKED",
          "TEXT_SPAM",
          "TEXT_TTL_EXPIRED",
        ],
        failed: ["TEXT_INVALID", "TEXT_INVALID_MESSAGE", "TEXT_BLOCKED", "TEXT_PROTECT_BLOCKED"],
        ignored: ["NOT_FINAL"],
      }),
      code: "$.eventType",
      reason: "$.messageStatusDescription",
    },
    inbound: {
      when: ["$.originationNumber"],
      id: "$.inboundMessageId",
      from: "$.originationNumber",
      to: "$.destinationNumber",
      text: "$.messageBody",
      replyTo: "$.previousPublishedMessageId",
    },
  },
});
