// SMS gateways of HTTP APIs: `defineHttpSms` turns a vendor's request, tables and proofs into an adapter. A vendor is one file under
// `vendors/` and one file of recorded traffic; an operator's `http-api` settings are compiled to the same.

import { z } from "zod";
import { defineGateway, type GatewayAdapter, type GatewayDefinition } from "#gateways/gateway.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type AnswerFormat, vendorOutcome } from "#gateways/vendor-outcome.ts";
import { secretsIn } from "#settings/secrets.ts";
import { baseUrlField } from "#settings/url.ts";
import type { Auth } from "./auth.ts";
import { receiveSms, type SmsCallback } from "./callback.ts";
import { draftOf, type SmsRequest } from "./request.ts";
import { outgoingSms, type Sms } from "./sms.ts";

/** The settings of every such gateway. */
type SmsFields = { timeout_ms: typeof timeoutField };

interface HttpSmsDefinition<Settings extends z.ZodObject<SmsFields>>
  extends Pick<
    GatewayDefinition<Settings>,
    "kind" | "title" | "summary" | "settings" | "onUnknown" | "idempotencyWindowMs" | "receive"
  > {
  /** The URL that messages are sent to. */
  url(settings: z.output<Settings>): string;
  auth?(settings: z.output<Settings>): Auth;
  /** Null if the message cannot be expressed in this vendor's request. */
  request(sms: Sms, settings: z.output<Settings>, url: string): SmsRequest | null;
  /** How to read answers; a vendor's file makes it with `answerFormat`. */
  answer: AnswerFormat | ((settings: z.output<Settings>) => AnswerFormat);
  /** How to read callbacks, if tables can describe it; otherwise `receive`. */
  callback?:
    | SmsCallback<z.output<Settings>>
    | ((settings: z.output<Settings>) => SmsCallback<z.output<Settings>>);
  /** Secrets besides the fields that the schema marks. */
  secrets?(settings: z.output<Settings>): readonly string[];
}

/**
 * The settings of a vendor: its own fields, its address, and the timeout of a request. `baseUrl`: null if every account has a host of its
 * own.
 */
export function smsSettings<Fields extends z.ZodRawShape>(
  baseUrl: string,
  fields: Fields,
): z.ZodObject<
  Fields & { base_url: z.ZodDefault<ReturnType<typeof baseUrlField>>; timeout_ms: typeof timeoutField },
  z.core.$strict
>;
export function smsSettings<Fields extends z.ZodRawShape>(
  baseUrl: null,
  fields: Fields,
): z.ZodObject<
  Fields & { base_url: ReturnType<typeof baseUrlField>; timeout_ms: typeof timeoutField },
  z.core.$strict
>;
export function smsSettings(baseUrl: string | null, fields: z.ZodRawShape) {
  const field = baseUrlField();
  return z.strictObject({
    ...fields,
    base_url:
      baseUrl === null
        ? field.describe("The root of the API, on the host that the vendor gave the account.")
        : field
            .default(baseUrl)
            .describe("The root of the vendor's API, for another region or a test double."),
    timeout_ms: timeoutField,
  });
}

/** The settings field of the sender. */
export const fromField = z
  .string()
  .min(1)
  .max(50)
  .describe("The sender: a number, a short code or an alphanumeric sender id, as the vendor allows it.");

/**
 * An adapter of the channel `sms` that makes one request for each message and reads the outcome from the answer.
 *
 * @example
 * export const acme = defineHttpSms({
 *   kind: "acme",
 *   title: "Acme",
 *   summary: "SMS through Acme, with delivery reports.",
 *   settings: smsSettings("https://api.acme.example", { api_key: secret(), callback_token: callbackTokenField }),
 *   url: ({ base_url }) => joinUrl(base_url, "/sms"),
 *   auth: ({ api_key }) => bearer(api_key),
 *   request: ({ to, text, reportUrl }, _settings, url) => ({ url, json: { to, text, webhook: reportUrl } }),
 *   answer: answerFormat({ vendor: "Acme", reference: "$.id" }),
 *   callback: {
 *     proofs: tokenProofs,
 *     receipt: { reference: "$.id", status: "$.state", words: wordReader({ delivered: ["ok"], undelivered: ["no"] }) },
 *   },
 * });
 */
export function defineHttpSms<Settings extends z.ZodObject<SmsFields>>(
  definition: HttpSmsDefinition<Settings>,
): GatewayAdapter {
  type Parsed = z.output<Settings>;
  const { url, auth, request, answer, callback, secrets, ...rest } = definition;
  const encodedSecrets = (settings: Parsed) => [
    ...(auth?.(settings).secrets ?? []),
    ...(secrets?.(settings) ?? []),
  ];
  return defineGateway<Settings, "text">({
    ...rest,
    channels: ["sms"],
    contents: ["text"],
    urls: (settings) => [url(settings)],
    timeoutMs: ({ timeout_ms }: { timeout_ms: number }) => timeout_ms,
    encodedSecrets,
    async send(message, settings, tools) {
      const sms = outgoingSms(message, tools);
      const made = request(sms, settings, url(settings));
      if (made === null) {
        const reason = "The text cannot be put into the path of the gateway's URL.";
        return { kind: "rejected", code: "not_sendable", reason };
      }
      const draft = draftOf(made);
      const moment = { now: tools.clock.now(), transmission: sms.transmission };
      const result = await tools.outbound.request({
        ...draft,
        headers: auth?.(settings).headers(draft, moment) ?? draft.headers,
        timeoutMs: tools.timeoutMs,
        signal: tools.signal,
      });
      return vendorOutcome(result, typeof answer === "function" ? answer(settings) : answer, {
        secrets: () => [...secretsIn(definition.settings, settings), ...encodedSecrets(settings)],
        now: tools.clock.now(),
        repeated: message.repeated ?? false,
      });
    },
    ...(callback === undefined
      ? {}
      : {
          receive: (call, settings, tools) =>
            receiveSms(typeof callback === "function" ? callback(settings) : callback, call, settings, tools),
        }),
  });
}
