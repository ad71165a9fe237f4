// The request bodies of the OpenAPI document: JSON for every family, and forms for the channel endpoints. A form has a
// schema of its own, because its lists are JSON text and its files are parts.

import { z } from "zod";
import { clientApis } from "#ai/apis/apis.ts";
import { embeddingsRequest } from "#contract/ai/chat-shapes.ts";
import {
  imageRequest,
  moderationRequest,
  rerankRequest,
  speechRequest,
} from "#contract/ai/forwarded-shapes.ts";
import { attachmentTypes } from "#contract/messages/attachments.ts";
import { emailSendRequest } from "#contract/messages/email.ts";
import { smsSendRequest } from "#contract/messages/sms.ts";
import { whatsappListRequest, whatsappSendRequest } from "#contract/messages/whatsapp.ts";
import type { Head } from "#http/call.ts";
import { manageExamples } from "./manage-examples.ts";
import { componentName, type Json, reference, schemaOf } from "./schemas.ts";

/** Complete bodies. A test sends each of them. */
const examples: ReadonlyMap<z.ZodType, object> = new Map<z.ZodType, object>([
  [smsSendRequest, { contact: [{ number: "+4915123456789", message: "Your code is 4711." }] }],
  [
    whatsappSendRequest,
    {
      contact: [
        {
          number: "+4915123456789",
          message: "Your invoice",
          media: "document",
          url: "https://shop.example.com/invoice.pdf",
          filename: "invoice.pdf",
        },
      ],
    },
  ],
  [
    whatsappListRequest,
    {
      contact: [
        {
          number: "+4915123456789",
          message: "When shall we deliver?",
          button: "Choose",
          sections: [{ rows: [{ id: "morning", title: "08:00 to 12:00" }] }],
        },
      ],
    },
  ],
  [
    emailSendRequest,
    {
      contact: [
        { email: "ada@example.com", subject: "Your invoice", message: "<p>Hello Ada, it is attached.</p>" },
      ],
      attachments: [{ filename: "invoice.pdf", content: "JVBERi0xLjcK" }],
    },
  ],
  [embeddingsRequest, { input: "Hello!" }],
  [imageRequest, { prompt: "A fox in the snow" }],
  [speechRequest, { input: "Hello!", voice: "alloy" }],
  [moderationRequest, { input: "Hello!" }],
  [rerankRequest, { query: "opening hours", documents: ["We open at nine.", "We sell tea."] }],
  ...clientApis.flatMap(({ operations }) => operations).map(({ body, example }) => [body, example] as const),
]);

const files: Json = {
  type: "array",
  items: { type: "string", format: "binary", contentMediaType: "application/octet-stream" },
  description: `The files for every contact, as parts named \`attachments\`, \`attachments[]\` or \`attachments[0]\`. A file's name ends in ${attachmentTypes.join(", ")}, and its contents match that type.`,
};

/** A list of objects, as one field of a form. */
function asText(name: string, description: string | undefined): Json {
  return {
    type: "string",
    minLength: 1,
    contentMediaType: "application/json",
    description:
      `${description ?? ""} The list is JSON text. Fields such as \`${name}[0][number]\` are accepted instead.`.trim(),
  };
}

/** The same body as a form. An optional list has no field: the only one is the list of files, which are parts. */
function formOf(body: z.ZodObject, uploads: boolean): Json {
  const properties: Json = {};
  for (const [name, field] of Object.entries(body.shape)) {
    if (field instanceof z.ZodArray) properties[name] = asText(name, field.description);
    else if (field.safeParse(undefined).success) continue;
    else properties[name] = schemaOf(field as z.ZodType);
  }
  return {
    type: "object",
    required: Object.keys(properties),
    properties: uploads ? { ...properties, attachments: files } : properties,
  };
}

/** The request body of an endpoint, and the schemas of its forms by their names. */
export function requestBodyOf(
  head: Head,
  body: z.ZodObject,
): { requestBody: Json; schemas: Record<string, Json> } {
  const name = componentName(body);
  if (name === undefined) throw new Error(`The body of ${head.name} needs an id in its metadata.`);
  const example = examples.get(body) ?? manageExamples[head.name];
  const inJson = {
    "application/json": { schema: reference(name), ...(example === undefined ? {} : { example }) },
  };
  if (head.form) {
    const inForm = { "multipart/form-data": { schema: reference(name) } };
    return { requestBody: { required: true, content: inForm }, schemas: {} };
  }
  if (head.family !== "api_key") {
    // An absent body counts as an empty object. A change must contain at least one field.
    const required = head.family !== "manage" || head.method === "PATCH" || !body.safeParse({}).success;
    return { requestBody: { required, content: inJson }, schemas: {} };
  }
  const stem = name.replace(/Request$/, "");
  const schemas = {
    [`${stem}Form`]: formOf(body, false),
    [`${stem}Multipart`]: formOf(body, head.uploads === true),
  };
  const content = {
    ...inJson,
    "application/x-www-form-urlencoded": { schema: reference(`${stem}Form`) },
    "multipart/form-data": { schema: reference(`${stem}Multipart`) },
  };
  return { requestBody: { required: true, content }, schemas };
}
