// Hooks of an account, which make messages of what other programs post: their fields, and the management API's replies with them.

import { z } from "zod";
import { extended, instant, page, reply, revision, seenRevision } from "#contract/envelope.ts";
import { keyText } from "#contract/key-text.ts";
import { gatewayFields } from "#contract/manage/gateways.ts";
import { severities } from "#contract/manage/overview.ts";
import { channels } from "#contract/messages/channel.ts";
import { freeText, nameText } from "#contract/name.ts";
import { patchSchema, shown } from "#contract/resource-schema.ts";
import { presetNames } from "./presets.ts";
import { maxTemplateLength, parseTemplate } from "./template.ts";

const maxRecipients = 20;

const template = (max: number) =>
  freeText(1, max).check((field) => {
    const parsed = parseTemplate(field.value);
    if (parsed.kind === "faulty")
      field.issues.push({ code: "custom", message: parsed.fault, input: field.value });
  });

const message = {
  preset: z
    .enum(presetNames)
    .nullable()
    .default(null)
    .describe("A program whose body is known: its templates are used where the hook has none of its own."),
  channel: z.enum(channels).describe("The channel of its messages."),
  to: z
    .array(nameText(1, 254))
    .min(1)
    .max(maxRecipients)
    .describe("The recipients, each of which gets a message: numbers, or addresses for `email`."),
  gateway_identifier: gatewayFields.shape.identifier
    .nullable()
    .default(null)
    .describe("The gateway of its messages; null for the channel's default gateway."),
  subject: template(1_000)
    .nullable()
    .default(null)
    .describe("The template of a mail's subject; null for the preset's."),
  message: template(maxTemplateLength)
    .nullable()
    .default(null)
    .describe(
      "The template of the text, with paths into the body such as `{{alerts[0].labels.alertname}}`; null for the preset's. For `email`, one with a tag is HTML.",
    ),
  missing: freeText(0, 100)
    .nullable()
    .default("")
    .describe("What stands for a value that the body does not have; null refuses such a body with 422."),
};

export const hookAttention = z
  .strictObject({
    severities: z
      .array(
        z
          .enum(severities)
          .meta({ words: { error: "Errors", doubt: "Unknown outcomes", warning: "Warnings" } }),
      )
      .min(1)
      .default(["error"])
      .describe("The severities of the items that it reports."),
    after_minutes: z
      .int()
      .min(1)
      .max(1_440)
      .default(5)
      .meta({ title: "Report after", unit: "min" })
      .describe(
        "An item is reported once it has persisted for this long, and has ended once it has been gone for this long.",
      ),
    ended: z
      .boolean()
      .default(true)
      .meta({ title: "Report when it has ended" })
      .describe("Whether the end of a reported item is reported too."),
    per_hour: z
      .int()
      .min(1)
      .max(600)
      .default(20)
      .meta({ title: "Maximum reports per hour" })
      .describe("The most that it reports within an hour. Further ones wait."),
  })
  .meta({ id: "HookAttentionInput" });
export type HookAttention = z.output<typeof hookAttention>;

export const hookRules = z.strictObject({
  ...message,
  per_minute: z
    .int()
    .min(1)
    .max(600)
    .default(30)
    .meta({ title: "Maximum requests per minute" })
    .describe("Maximum requests a minute, counted in each process. Further ones get 429."),
  signed: z
    .boolean()
    .default(false)
    .meta({ title: "Require a signature" })
    .describe("Whether requests must have a valid `X-Hub-Signature-256`, as GitHub sends it."),
  attention: hookAttention
    .nullable()
    .default(null)
    .describe("Reports what the overview says needs attention; the preset `attention` implies it."),
  active: z.boolean().default(true).describe("`false` switches it off: its requests get 409."),
});

export const hookFields = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be letters, digits, dots, hyphens and underscores")
      .describe("Its name in the URL, `/hooks/{name}`; unique in the account."),
    key: keyText()
      .regex(/^[\w.~-]*$/, "must be letters, digits and the characters - . _ ~")
      .optional()
      .describe(
        "Its key, at least 20 characters that are hard to guess. Without it, one is generated and shown once.",
      ),
    ...hookRules.shape,
  })
  .describe("Makes messages of what another program posts.");
export type HookFields = z.output<typeof hookFields>;

const { name: _name, key: _key, ...changeable } = patchSchema(hookFields).shape;

/** The PATCH body of a hook. Its name is part of its URL and cannot change; its key is rotated. */
export const hookChanges = z.strictObject({ ...changeable, revision: seenRevision });

const { key: _text, ...shownFields } = shown(hookFields).shape;

const hook = z
  .object({
    id: z.string(),
    ...shownFields,
    attention: shown(hookAttention).meta({ id: "HookAttention" }).nullable(),
    hint: z.string().describe("The first and last characters of its key. Only the key's hash is stored."),
    last_received_at: instant.nullable().describe("When it last received a body; null if it never has."),
    last_outcome: z
      .string()
      .nullable()
      .describe("`accepted`, or why nothing was accepted; null if it never received a body."),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "Hook" });

/** A hook as replies have it. */
export type HookRecord = z.output<typeof hook>;

export const hookReply = reply("HookReply", hook);
/** Every hook of the account, oldest first. */
export const hooksReply = page("HookPage", hook);

export const newHookReply = reply(
  "NewHookReply",
  extended("NewHook", hook, {
    key: z
      .string()
      .nullable()
      .describe("The generated key, which no other reply shows; null if the request contained the key."),
    secret: z
      .string()
      .describe("The secret for `signed`, which no other reply shows. It changes with the key."),
  }),
);

const anyJson = z.unknown().meta({ type: ["object", "array", "string", "number", "boolean", "null"] });

export const previewHookRequest = z
  .strictObject({
    ...message,
    hook: nameText(1, 64).optional().describe("The id of a hook, whose last body is used."),
    body: anyJson
      .optional()
      .describe("The body to use. Without it, the hook's last one, or else an example of the preset."),
  })
  .meta({ id: "PreviewHookRequest" });

export const previewHookReply = reply(
  "PreviewHookReply",
  z.object({
    subject: z.string().nullable().describe("Of a mail."),
    message: z.string(),
    templates: z
      .object({ subject: z.string(), message: z.string() })
      .describe("The templates that were used: the request's, or those of the preset."),
    missing: z.array(z.string()).describe("The placeholders for which the body has no value."),
    faults: z
      .array(z.string())
      .describe("Why a send would be refused, such as a recipient that is no number."),
    body: anyJson.describe("The body. Of the last one, long texts and lists are shortened, secrets masked."),
    body_from: z.enum(["request", "last", "example"]),
  }),
);

/** The reply to a program that posted to a hook. It does not name the recipients. */
export const receivedHookReply = reply(
  "ReceivedHookReply",
  z.object({ request_id: z.string(), messages: z.int().describe("The number of messages accepted.") }),
);
