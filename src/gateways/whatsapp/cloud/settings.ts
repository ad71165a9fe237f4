// The settings of a WhatsApp Cloud API gateway, and the parts of every Graph API call that come from them.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { timeoutField } from "#gateways/http-settings.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";

const mib = 1024 * 1024;
const graphId = z.string().regex(/^\d{1,32}$/, "Must be an id of digits alone.");

export const cloudSettings = z
  .strictObject({
    phone_number_id: graphId.describe("The id of the sending number (not the number itself)."),
    access_token: secret().describe(
      "A token with `whatsapp_business_messaging`. That of a system user does not expire; a temporary one ends after 24 hours.",
    ),
    app_secret: secret()
      .optional()
      .describe("The secret of the Meta app, which signs callbacks. Without it no callback is accepted."),
    verify_token: secret()
      .optional()
      .describe(
        "A word of your own choice, typed into Meta's console as the verify token of the callback URL.",
      ),
    business_account_id: graphId
      .optional()
      .describe(
        "The WhatsApp account of the number. With it, Meta's reports about the account count, and `check` sees whether callbacks are subscribed.",
      ),
    messaging_account_id: graphId
      .optional()
      .describe("The messaging account that sends; needed where the WhatsApp account has several."),
    api_version: z
      .string()
      .regex(/^v\d{1,3}\.\d$/, "Must be a version of the Graph API such as v26.0.")
      .default("v26.0")
      .describe("The version of the Graph API. Meta ends a version about two years after its release."),
    base_url: baseUrlField()
      .default("https://graph.facebook.com")
      .describe("The Graph API, for a test double."),
    preview_url: z
      .boolean()
      .default(true)
      .describe("Whether WhatsApp shows a preview of the first link in a text."),
    template: z
      .strictObject({
        name: z
          .string()
          .regex(/^[a-z0-9_]{1,512}$/)
          .describe("The name of an approved template."),
        language: z.string().min(2).max(15).describe("Its language, such as `en_US`."),
        parameters: z
          .array(z.string().max(1024))
          .max(20)
          .default(["{{message}}"])
          .describe("The values of its body; `{{message}}` is the message's text on one line."),
      })
      .optional()
      .describe("The template that replaces a text outside the 24-hour window."),
    outside_window: z
      .enum(["send", "template", "reject"])
      .default("send")
      .describe(
        "What happens to a text, a file or a list for a person who did not write to this number within 24 hours. `send`: Meta decides. `template`: texts go as the `template`, and the others are refused. `reject`: all are refused.",
      ),
    direct_send: z
      .enum(["utility", "authentication"])
      .nullable()
      .default(null)
      .describe(
        "The category with which a text outside the 24-hour window is sent by Meta's Direct Send, which makes the template by itself. Meta has to have enabled it for the account. Null: not so. Where Meta refuses it, `outside_window: template` sends the template.",
      ),
    mark_read: z
      .boolean()
      .default(false)
      .describe("Whether people see that their messages were read, as soon as they are stored."),
    audio_text: z
      .enum(["drop", "reject"])
      .default("drop")
      .describe(
        "WhatsApp shows no text with audio. `drop`: the audio goes without the message's text. `reject`: the message is refused.",
      ),
    media_by: z
      .enum(["auto", "upload", "link"])
      .default("auto")
      .describe(
        "`upload`: Trunkline fetches and uploads files. `auto`: the same, except that documents which the upload refuses go by link. `link`: Meta fetches all files.",
      ),
    max_media_bytes: z
      .int()
      .min(64 * 1024)
      .max(100 * mib)
      .default(16 * mib)
      .describe("Maximum size of a fetched file, bytes. WhatsApp itself accepts less for most types."),
    prove_app_secret: z
      .boolean()
      .default(false)
      .describe("Sends `appsecret_proof` with each call, which an app may demand. It needs the app secret."),
    timeout_ms: timeoutField,
  })
  .refine(({ outside_window, template }) => outside_window !== "template" || template !== undefined, {
    path: ["template"],
    error: "`outside_window: template` needs the `template`.",
    when: ({ value }) => typeof value === "object" && value !== null,
  })
  .refine((settings) => !settings.prove_app_secret || settings.app_secret !== undefined, {
    path: ["app_secret"],
    error: "`prove_app_secret` needs the `app_secret`.",
    when: ({ value }) => typeof value === "object" && value !== null,
  });

export type CloudSettings = z.output<typeof cloudSettings>;

/** The URL of an object below the API's version, such as `/123/messages`. */
export function graphUrl(settings: CloudSettings, path: string): string {
  const url = joinUrl(settings.base_url, `/${settings.api_version}${path}`);
  const proof = appSecretProof(settings);
  return proof === null ? url : `${url}${url.includes("?") ? "&" : "?"}appsecret_proof=${proof}`;
}

/**
 * HMAC-SHA256 of the token with the app secret, hex (https://developers.facebook.com/docs/graph-api/guides/secure-requests); null if the
 * settings do not ask for it.
 */
export function appSecretProof({ access_token, app_secret, prove_app_secret }: CloudSettings): string | null {
  if (!prove_app_secret || app_secret === undefined) return null;
  return createHmac("sha256", app_secret).update(access_token).digest("hex");
}

/** Texts that must not appear in a reason. */
export function secretsOf(settings: CloudSettings): string[] {
  const { access_token, app_secret, verify_token } = settings;
  return [access_token, app_secret, verify_token, appSecretProof(settings)].filter((text) => text != null);
}

export const authorization = (settings: CloudSettings) => `Bearer ${settings.access_token}`;
