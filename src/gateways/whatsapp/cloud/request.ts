// The body of a message for the Cloud API
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/message-api).

import { isUserId } from "#contract/messages/user-id.ts";
import type {
  ListContent,
  MediaContent,
  OutgoingMessage,
  TemplateContent,
  TextContent,
} from "#gateways/message.ts";
import type { CloudSettings } from "./settings.ts";

/** What can be sent directly, without a file. */
export type PlainContent = TextContent | ListContent | TemplateContent;

/** The object of a message's type, under that type's name. */
export interface Part {
  type: string;
  [type: string]: unknown;
}

export const maxTextChars = 4096;
export const maxCaptionChars = 1024;

/** An uploaded file, or a URL that Meta fetches. */
export type MediaSource = { id: string } | { link: string };

/** Audio has no caption: Meta refuses one. */
export function mediaPart({ media, text, filename }: MediaContent, source: MediaSource): Part {
  const caption = media === "audio" || text === "" ? {} : { caption: text };
  const named = media === "document" && filename !== null ? { filename } : {};
  return { type: media, [media]: { ...source, ...caption, ...named } };
}

/**
 * The whole body. A person without a number is named by their user id. A number keeps its plus; without it, Meta reads it as a national one
 * of the sending number's country. The status callbacks return our id.
 */
export function bodyOf(
  { id, recipient }: Pick<OutgoingMessage, "id" | "recipient">,
  part: Part,
  { messaging_account_id }: CloudSettings,
): string {
  return JSON.stringify({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...(isUserId(recipient) ? { recipient } : { to: recipient }),
    ...part,
    biz_opaque_callback_data: id,
    ...(messaging_account_id === undefined ? {} : { messaging_account_id }),
  });
}

export function partOf(content: PlainContent, settings: CloudSettings): Part {
  switch (content.kind) {
    case "text":
      return { type: "text", text: { body: content.text, preview_url: settings.preview_url } };
    case "list":
      return { type: "interactive", interactive: interactiveList(content) };
    case "template":
      return { type: "template", template: templateCall(content) };
  }
}

function interactiveList({ header, text, footer, button, sections }: ListContent) {
  return {
    type: "list",
    ...(header === null ? {} : { header: { type: "text", text: header } }),
    body: { text },
    ...(footer === null ? {} : { footer: { text: footer } }),
    action: {
      button,
      sections: sections.map(({ title, rows }) => ({
        ...(title === null ? {} : { title }),
        rows: rows.map(({ id, title: row, description }) => ({
          id,
          title: row,
          ...(description === null ? {} : { description }),
        })),
      })),
    },
  };
}

function templateCall({ name, language, parameters, components }: TemplateContent) {
  return { name, language: { code: language }, components: components ?? bodyParameters(parameters) };
}

/** Values by position or by name, as the parameters of the template's body. */
function bodyParameters(parameters: TemplateContent["parameters"]) {
  if (parameters === null) return [];
  const texts = Array.isArray(parameters)
    ? parameters.map((text: string) => ({ type: "text", text }))
    : Object.entries(parameters).map(([name, text]) => ({ type: "text", parameter_name: name, text }));
  return texts.length === 0 ? [] : [{ type: "body", parameters: texts }];
}

/** Whether the text has more than `max` characters (code points). */
export const isLonger = (text: string, max: number) => text.length > max && Array.from(text).length > max;
