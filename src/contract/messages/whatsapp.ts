// The WhatsApp send requests: contacts with a text, a file or a template, and contacts with a list. One definition of each
// gives the types, the OpenAPI schema and the checks. Rules for two fields run on the normalised values beside the schema:
// zod skips a refinement of an object as soon as one of its fields has an issue, and all issues are reported together.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { type Fields, isObject, trimmed, trimOrNull } from "#contract/normalise.ts";
import { type Check, checker, sentences } from "#contract/wording.ts";
import { asRequired, contactReader, fitsOptional, type SharedDraft } from "./contacts.ts";
import { type ListSection, type MediaKind, mediaKinds, type TemplateFields } from "./content.ts";
import {
  componentType,
  gatewayIdentifier,
  listButton,
  listDescription,
  listHeader,
  listMessage,
  listRowId,
  listTitle,
  mediaFilename,
  mediaUrl,
  number,
  scheduleAt,
  scheduleAtPattern,
  shortMessage,
  templateLanguage,
  templateName,
} from "./fields.ts";
import { normalisedOwnWords, ownWordsShape, plainOwnWords } from "./own-words.ts";
import { asNumber } from "./sms.ts";

const shared = {
  number: number.schema
    .describe(
      "The recipient's WhatsApp number; with a `whatsapp-cloud` gateway also WhatsApp's user id of a person, such as `US.13491208655302741918`; with a `whatsapp-linked` gateway also the id of a person who hides their number, such as `271234567890123@lid`.",
    )
    .meta({
      type: ["string", "integer"],
      examples: ["+4915123456789"],
    }),
  gateway_identifier: gatewayIdentifier.schema
    .nullish()
    .describe("An active WhatsApp gateway of the account. The default is the account's default gateway."),
  schedule_at: scheduleAt.schema
    .nullish()
    .describe("When to send the message: `Y-m-d H:i:s` in the account's time zone. The default is at once.")
    .meta({ examples: ["2030-01-31 09:00:00"], pattern: scheduleAtPattern }),
  ...ownWordsShape,
};

/** Maximum size of parameters or components, as JSON. */
const maxTemplateBytes = 32 * 1024;
const maxParameters = 100;

/** What Meta refuses in a template's value: "new-line/tab characters or more than 4 consecutive spaces". */
const unsendable = /[\n\r\t]| {5}/;

/** Whether the value is a list or an object of texts that can be sent. */
function areParameters(value: unknown): boolean {
  const values = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [null];
  return (
    values.length <= maxParameters &&
    values.every((text) => typeof text === "string" && shortMessage.fits(text) && !unsendable.test(text))
  );
}

const template = z
  .object({
    name: templateName.schema
      .describe("The template's name.")
      .meta({ examples: ["order_shipped"], pattern: "^[a-z0-9_]{1,512}$" }),
    language: templateLanguage.schema
      .describe("The template's language.")
      .meta({ examples: ["en_US"], maxLength: 15 }),
    parameters: z
      .unknown()
      .check((field) => {
        if (field.value === null || field.value === undefined || areParameters(field.value)) return;
        field.issues.push({ code: "custom", params: { rule: "regex" }, input: field.value });
      })
      .optional()
      .describe(
        "The values of the body's variables: a list by position, or an object by name. Meta accepts neither line ends nor tabs nor five blanks in a row.",
      )
      .meta({
        anyOf: [
          { type: "array", items: { type: "string" }, maxItems: maxParameters },
          { type: "object", additionalProperties: { type: "string" } },
          { type: "null" },
        ],
      }),
    components: z
      .array(z.looseObject({ type: componentType.schema }))
      .max(maxParameters)
      .nullish()
      .describe("Meta's own `components`, passed on unchanged, instead of `parameters`."),
  })
  .meta({ id: "WhatsappTemplate" });

/** With `z.enum`, a value that is not text would be reported as a wrong choice instead of a wrong type. */
const mediaKind = z
  .string()
  .check(({ value, issues }) => {
    if ((mediaKinds as readonly string[]).includes(value)) return;
    issues.push({ code: "invalid_value", values: [...mediaKinds], input: value });
  })
  .meta({ enum: [...mediaKinds] });

/** A contact as it is checked: text trimmed, empty text null, an integer number as text. */
export const whatsappContact = z
  .object({
    ...shared,
    message: shortMessage.schema
      .describe(
        "The text, which is the caption of a file. Audio files have no caption: their text is stored but not sent. A `whatsapp-cloud` gateway accepts 4,096 characters and captions of 1,024, a `whatsapp-linked` one captions of 1,024; with a template the text is not sent.",
      )
      .meta({ maxLength: 65_536, examples: ["Your order is on its way."] }),
    media: mediaKind.nullish().describe("The type of the file at `url`."),
    url: mediaUrl.schema
      .nullish()
      .describe("The public URL of the file: http or https, without credentials. Required with `media`.")
      .meta({ maxLength: 2048, examples: ["https://shop.example.com/invoice.pdf"] }),
    filename: mediaFilename.schema
      .nullish()
      .describe("The name that the recipient of a document sees.")
      .meta({ maxLength: 240 }),
    template: template
      .nullish()
      .describe("A template that Meta has approved, sent instead of the text. It excludes `media`."),
  })
  .meta({ id: "WhatsappContact" });

/** The body of `POST /api/whatsapp/send`. */
export const whatsappSendRequest = z
  .object({ contact: z.array(whatsappContact).min(1).describe("One entry per message.") })
  .meta({ id: "WhatsappSendRequest" });

const maxSections = 10;
const maxRows = 10;

const listRow = z
  .object({
    id: listRowId.schema
      .describe("Returned when the row is chosen; unique in its list.")
      .meta({ maxLength: 200, examples: ["morning"] }),
    title: listTitle.schema.meta({ maxLength: 24, examples: ["08:00 to 12:00"] }),
    description: listDescription.schema.nullish().meta({ maxLength: 72 }),
  })
  .meta({ id: "WhatsappListRow" });

const listSection = z
  .object({
    title: listTitle.schema
      .nullish()
      .describe("Required when there are two sections or more.")
      .meta({ maxLength: 24 }),
    rows: z.array(listRow).min(1).max(maxRows).describe("At most ten in all sections together."),
  })
  .meta({ id: "WhatsappListSection" });

/** A contact of a list as it is checked. */
const whatsappListContact = z
  .object({
    ...shared,
    message: listMessage.schema
      .describe("The text above the button.")
      .meta({ maxLength: 4096, examples: ["When shall we deliver?"] }),
    header: listHeader.schema.nullish().meta({ maxLength: 60 }),
    footer: listHeader.schema.nullish().meta({ maxLength: 60 }),
    button: listButton.schema
      .describe("The text of the button that opens the list.")
      .meta({ maxLength: 20, examples: ["Choose"] }),
    sections: z.array(listSection).min(1).max(maxSections),
  })
  .meta({ id: "WhatsappListContact" });

/** The body of a send of lists. */
export const whatsappListRequest = z
  .object({ contact: z.array(whatsappListContact).min(1).describe("One entry per message.") })
  .meta({ id: "WhatsappListRequest" });

interface WhatsappSharedDraft extends SharedDraft {
  number: string | undefined;
  message: string | undefined;
}

/** A contact of a send after the rules that need no account. `undefined`: the field has an issue. */
export interface WhatsappDraft extends WhatsappSharedDraft {
  media: MediaKind | null | undefined;
  url: string | null | undefined;
  filename: string | null | undefined;
  template: TemplateFields | null | undefined;
}

/** A contact of a send of lists. */
export interface WhatsappListDraft extends WhatsappSharedDraft {
  header: string | null | undefined;
  footer: string | null | undefined;
  button: string | undefined;
  sections: readonly ListSection[] | undefined;
}

/** Fields that only files and templates have; a contact without them is a text. */
const beyondText = ["media", "url", "filename", "template"] as const;

function plainContact(fields: Fields): WhatsappDraft | null {
  if (typeof fields.number !== "string" || typeof fields.message !== "string") return null;
  for (const name of beyondText) if (fields[name] !== undefined && fields[name] !== null) return null;
  const to = trimmed(fields.number);
  const message = trimmed(fields.message);
  if (to === "" || message === "" || !number.fits(to) || !shortMessage.fits(message)) return null;
  const gateway = trimOrNull(fields.gateway_identifier);
  if (!fitsOptional(gateway, gatewayIdentifier)) return null;
  const at = trimOrNull(fields.schedule_at);
  if (!fitsOptional(at, scheduleAt)) return null;
  const own = plainOwnWords(fields);
  if (own === null) return null;
  return {
    number: to,
    message,
    gateway_identifier: gateway,
    schedule_at: at,
    reference: own.reference,
    metadata: own.metadata,
    media: null,
    url: null,
    filename: null,
    template: null,
  };
}

const normalisedShared = (fields: Fields) => ({
  number: asRequired(asNumber(fields.number)),
  message: asRequired(trimOrNull(fields.message)),
  gateway_identifier: trimOrNull(fields.gateway_identifier),
  schedule_at: trimOrNull(fields.schedule_at),
  ...normalisedOwnWords(fields),
});

/** An object in the form that the rules expect: a form cannot contain an empty one, so an empty list counts as one. */
const optionalObject = (value: unknown) => (Array.isArray(value) && value.length === 0 ? null : value);

function normalisedTemplate(value: unknown): unknown {
  const template = optionalObject(trimOrNull(value));
  if (!isObject(template)) return template;
  return {
    name: trimOrNull(template.name),
    language: trimOrNull(template.language),
    parameters: optionalObject(trimOrNull(template.parameters)),
    components: optionalObject(trimOrNull(template.components)),
  };
}

function normalisedSections(value: unknown): unknown {
  const list = asRequired(trimOrNull(value));
  if (!Array.isArray(list)) return list;
  return list.map((item: unknown) => {
    const section = fieldsOf(item);
    const rows = asRequired(trimOrNull(section.rows));
    return { title: trimOrNull(section.title), rows: Array.isArray(rows) ? rows.map(normalisedRow) : rows };
  });
}

function normalisedRow(item: unknown): unknown {
  const row = fieldsOf(item);
  return {
    id: asRequired(trimOrNull(row.id)),
    title: asRequired(trimOrNull(row.title)),
    description: trimOrNull(row.description),
  };
}

/** An item that is not an object counts as an empty one, as a contact does. */
const fieldsOf = (item: unknown): Fields => (isObject(item) ? item : {});

/** The issues of a schema, followed by those of the rules for several fields. */
function checkWith(
  schema: z.ZodType,
  together: (fields: Fields, path: (...field: (string | number)[]) => Issue["path"]) => Issue[],
): Check {
  const check = checker(schema);
  return (value, base, index) => {
    const item = index === undefined ? [] : [index];
    const issues = [
      ...(check(value, base, index) ?? []),
      ...together(value as Fields, (...field) => [...base, ...item, ...field]),
    ];
    return issues.length === 0 ? null : issues;
  };
}

const checkContact = checkWith(whatsappContact, ({ media, url, filename, template }, at) => {
  const issues: Issue[] = [];
  const requiredWith = (field: string, other: string) =>
    issues.push({ path: at(field), message: sentences.requiredWith(at(field), at(other)) });
  if (media !== null && url === null) requiredWith("url", "media");
  if (media === null && url !== null) requiredWith("media", "url");
  else if (media === null && filename !== null) requiredWith("media", "filename");
  if (template === null) return issues;
  if (media !== null)
    issues.push({ path: at("template"), message: sentences.prohibits(at("template"), at("media")) });
  if (!isObject(template)) return issues;
  const { parameters, components } = template;
  if (parameters !== null && components !== null) {
    const [path, other] = [at("template", "parameters"), at("template", "components")];
    issues.push({ path, message: sentences.prohibits(path, other) });
  }
  for (const [field, value] of Object.entries({ parameters, components })) {
    if (Buffer.byteLength(JSON.stringify(value)) <= maxTemplateBytes) continue;
    const path = at("template", field);
    issues.push({ path, message: sentences.atMostKilobytes(path, maxTemplateBytes / 1024) });
  }
  return issues;
});

const checkListContact = checkWith(whatsappListContact, ({ sections }, at) => {
  if (!Array.isArray(sections)) return [];
  const issues: Issue[] = [];
  const ids = new Set<unknown>();
  let rows = 0;
  for (const [index, section] of sections.slice(0, maxSections).entries()) {
    if (!isObject(section)) continue;
    if (sections.length > 1 && section.title === null) {
      const path = at("sections", index, "title");
      issues.push({ path, message: sentences.required(path) });
    }
    if (!Array.isArray(section.rows)) continue;
    rows += section.rows.length;
    for (const [place, row] of section.rows.slice(0, maxRows).entries()) {
      if (!isObject(row) || typeof row.id !== "string") continue;
      const path = at("sections", index, "rows", place, "id");
      if (ids.has(row.id)) issues.push({ path, message: sentences.distinct(path) });
      ids.add(row.id);
    }
  }
  // A section with too many rows has its own issue.
  if (rows > maxRows && sections.every((section) => !isObject(section) || !tooMany(section.rows)))
    issues.push({ path: at("sections"), message: sentences.atMostRows(at("sections"), maxRows) });
  return issues;
});

const tooMany = (rows: unknown) => Array.isArray(rows) && rows.length > maxRows;

export const { slices: readWhatsappSlices, read: readWhatsapp } = contactReader<WhatsappDraft>({
  fastPath: plainContact,
  normalise: (fields) => ({
    ...normalisedShared(fields),
    media: trimOrNull(fields.media),
    url: trimOrNull(fields.url),
    filename: trimOrNull(fields.filename),
    template: normalisedTemplate(fields.template),
  }),
  check: checkContact,
});

export const { slices: readWhatsappListSlices, read: readWhatsappList } = contactReader<WhatsappListDraft>({
  // A list is checked completely: it is small, and sending it costs far more.
  fastPath: () => null,
  normalise: (fields) => ({
    ...normalisedShared(fields),
    header: trimOrNull(fields.header),
    footer: trimOrNull(fields.footer),
    button: asRequired(trimOrNull(fields.button)),
    sections: normalisedSections(fields.sections),
  }),
  check: checkListContact,
});
