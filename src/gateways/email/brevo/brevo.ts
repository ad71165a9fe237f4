// Brevo (https://developers.brevo.com/reference/sendtransacemail). Its idempotency key holds for 15 to 30 minutes, by
// page, and a lane may pause for longer: what may have been sent is held, not repeated, unless the gateway asks for it.
// Its tracking is a switch of the account, not the mail.

import { createHash } from "node:crypto";
import { z } from "zod";
import { callbackTokenField } from "#gateways/email/callback-token.ts";
import { base64Attachments, encodedName, senderOf } from "#gateways/email/http-mail.ts";
import { bareMessageId } from "#gateways/email/mail-event.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { defineGateway, type OutgoingMessage, secret } from "#gateways/gateway.ts";
import { timeoutField } from "#gateways/http-outcome.ts";
import { parseJson, textAt } from "#gateways/sms/http-api/json-path.ts";
import { vendorOutcome } from "#gateways/vendor-outcome.ts";
import { brevoCode, brevoFault } from "./errors.ts";
import { brevoIdHeader, receiveBrevo } from "./events.ts";

const settings = z.strictObject({
  ...emailFields,
  api_key: secret().describe("An API key of Brevo (v3)."),
  callback_token: callbackTokenField,
  base_url: z
    .string()
    .regex(/^https?:\/\/[^?#\s]+$/i, "Must be an http or https URL without a query.")
    .default("https://api.brevo.com/v3")
    .describe("Brevo's API, for a test double."),
  timeout_ms: timeoutField,
});

type BrevoSettings = z.output<typeof settings>;

export const brevo = defineGateway({
  kind: "brevo",
  channels: ["email"],
  title: "Brevo",
  summary: "Email through Brevo, with events that a token protects.",
  settings,
  // https://help.brevo.com/hc/en-us/articles/4402811730962
  maxMessageBytes: 20 * 1024 * 1024,
  urls: (own) => [emailUrl(own)],
  async send(message, own, tools) {
    const result = await tools.outbound.request({
      method: "POST",
      url: emailUrl(own),
      headers: { "api-key": own.api_key, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(await bodyOf(message, own)),
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    const json = (result.kind === "answer" ? parseJson(result.body) : null) ?? null;
    return vendorOutcome(result, {
      vendor: "Brevo",
      secrets: [own.api_key, own.callback_token ?? ""],
      now: tools.clock.now(),
      reference: () => bareMessageId(textAt(json, "$.messageId")),
      code: brevoCode,
      faultOf: (code) => brevoFault(code, textAt(json, "$.message") ?? ""),
    });
  },
  receive: (callback, own) => receiveBrevo(callback, own.callback_token),
});

function emailUrl(own: BrevoSettings): string {
  return `${own.base_url.replace(/(?<!\/)\/+$/, "")}/smtp/email`;
}

/** An undefined field does not reach the JSON. Brevo finds an attachment's type by its name. */
async function bodyOf(message: OutgoingMessage, own: BrevoSettings): Promise<object> {
  const email = message.email!;
  const sender = senderOf(email, own);
  const attachments = await base64Attachments(email);
  return {
    sender: { email: sender.address, name: sender.name === null ? undefined : safeName(sender.name) },
    to: [{ email: message.recipient }],
    subject: email.subject,
    textContent: email.text,
    htmlContent: email.html ?? undefined,
    replyTo: email.replyTo === null ? undefined : { email: email.replyTo },
    headers: {
      ...Object.fromEntries(email.headers),
      [brevoIdHeader]: message.id,
      idempotencyKey: keyOf(message.id),
    },
    attachment:
      attachments.length === 0
        ? undefined
        : attachments.map(({ filename, base64 }) => ({ name: filename, content: base64 })),
  };
}

/** Brevo drops a name that has both a special of RFC 5322 and a letter beyond ASCII, but for one that is encoded already. */
function safeName(name: string): string {
  return /[^\u0020-\u007e]/.test(name) && /[()<>[\]:;@\\,."]/.test(name) ? encodedName(name) : name;
}

/** Brevo wants a UUID; this one (version 8 of RFC 9562) is the same on every try. */
function keyOf(id: string): string {
  const hex = createHash("sha256").update(id).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4]!;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}
