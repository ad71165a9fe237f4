// Postmark (https://postmarkapp.com/developer/api/email-api#send-a-single-email), with its own tracking off. It has no
// idempotency key: what may have been sent stays `unknown`, and the webhook, which carries our id, settles it.

import { z } from "zod";
import { callbackTokenField } from "#gateways/email/callback-token.ts";
import { base64Attachments, mailboxText, messageIdTag, senderOf } from "#gateways/email/http-mail.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { defineGateway, type OutgoingMessage, secret } from "#gateways/gateway.ts";
import { timeoutField } from "#gateways/http-outcome.ts";
import { parseJson, textAt } from "#gateways/sms/http-api/json-path.ts";
import { vendorOutcome } from "#gateways/vendor-outcome.ts";
import { isMaintenance, postmarkCode, postmarkFault } from "./errors.ts";
import { receivePostmark } from "./events.ts";

const settings = z.strictObject({
  ...emailFields,
  server_token: secret().describe("The API token of the Postmark server, not of the account."),
  message_stream: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,29}$/, "Must be the id of a message stream, such as outbound.")
    .default("outbound")
    .describe("The message stream that carries the mails: a transactional or a broadcast one."),
  callback_token: callbackTokenField,
  base_url: z
    .string()
    .regex(/^https?:\/\/[^?#\s]+$/i, "Must be an http or https URL without a query.")
    .default("https://api.postmarkapp.com")
    .describe("Postmark's API, for a test double."),
  timeout_ms: timeoutField,
});

type PostmarkSettings = z.output<typeof settings>;

export const postmark = defineGateway({
  kind: "postmark",
  channels: ["email"],
  title: "Postmark",
  summary: "Email through Postmark, with events that a token protects.",
  settings,
  // In base64 (https://postmarkapp.com/support/article/1056-what-are-the-attachment-and-email-size-limits).
  maxMessageBytes: 10 * 1024 * 1024,
  urls: (own) => [emailUrl(own)],
  async send(message, own, tools) {
    const result = await tools.outbound.request({
      method: "POST",
      url: emailUrl(own),
      headers: {
        "x-postmark-server-token": own.server_token,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: JSON.stringify(await bodyOf(message, own)),
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    const json = (result.kind === "answer" ? parseJson(result.body) : null) ?? null;
    const offline = result.kind === "answer" && isMaintenance(result.status, json);
    return vendorOutcome(result, {
      vendor: "Postmark",
      secrets: [own.server_token, own.callback_token ?? ""],
      now: tools.clock.now(),
      // A 200 has the code 0; while Postmark is slow it has none ("delivery may be delayed").
      reference: () => (postmarkCode(json) === null ? textAt(json, "$.MessageID") : null),
      code: postmarkCode,
      faultOf: (code) => postmarkFault(code, textAt(json, "$.Message") ?? ""),
      notAcceptedStatuses: offline ? [503] : [],
    });
  },
  receive: (callback, own) => receivePostmark(callback, own.callback_token),
});

function emailUrl(own: PostmarkSettings): string {
  return `${own.base_url.replace(/(?<!\/)\/+$/, "")}/email`;
}

/** `Metadata` names may have 20 characters and values 80. An undefined field does not reach the JSON. */
async function bodyOf(message: OutgoingMessage, own: PostmarkSettings): Promise<object> {
  const email = message.email!;
  const attachments = await base64Attachments(email);
  return {
    From: mailboxText(senderOf(email, own)),
    To: message.recipient,
    Subject: email.subject,
    TextBody: email.text,
    HtmlBody: email.html ?? undefined,
    ReplyTo: email.replyTo ?? undefined,
    Headers: email.headers.map(([name, value]) => ({ Name: name, Value: value })),
    Attachments: attachments.map(({ filename, contentType, base64 }) => ({
      Name: filename,
      Content: base64,
      ContentType: contentType,
    })),
    Metadata: { [messageIdTag]: message.id },
    MessageStream: own.message_stream,
    TrackOpens: false,
    TrackLinks: "None",
  };
}
