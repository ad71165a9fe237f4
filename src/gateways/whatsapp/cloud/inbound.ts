// Messages from people, of every type
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages). Types without text become one
// readable line.

import type { ReceivedReply } from "#contract/messages/received/details.ts";
import type { InboundMessage } from "#gateways/callback.ts";
import { type Json, referenceFrom } from "#gateways/json-path.ts";
import type { ReceivedFile } from "#gateways/received-file.ts";
import { field, list, text, textOrNull, timeMs, valueAt } from "./json.ts";

/** These change an earlier message and are not messages themselves. */
const noMessages = new Set(["edit", "revoke"]);

/** A message of `messages[]` with the `contacts[]` beside it. Null when it is missing or has no sender. */
export function inboundFrom(
  message: Json,
  contacts: readonly Json[],
  displayNumber: string,
): InboundMessage | null {
  const type = text(field(message, "type"));
  const reference = referenceFrom(text(field(message, "id")));
  const number = text(field(message, "from"));
  const userId = textOrNull(field(message, "from_user_id"));
  const from = withPlus(number) || userId;
  if (reference === null || from === null || noMessages.has(type)) return null;
  const sender = contactOf(contacts, number, userId);
  const { line, reply = null, replyTo } = contentOf(type, message);
  const context = field(message, "context");
  const file = fileOf(type, field(message, type));
  const sentAt = timeMs(field(message, "timestamp"));
  const answered = replyTo ?? textOrNull(field(context, "id"));
  return {
    reference,
    ...(answered === null ? {} : { replyTo: answered }),
    from,
    to: withPlus(displayNumber),
    message: line,
    media: [],
    ...(file === null ? {} : { file }),
    ...(sentAt === undefined ? {} : { sentAt }),
    details: {
      type: /^[a-z_]{1,40}$/.test(type) ? type : "unknown",
      reply,
      profileName: textOrNull(valueAt(sender, "profile", "name")),
      userId: userId ?? textOrNull(field(sender, "user_id")),
      forwarded: field(context, "forwarded") === true || field(context, "frequently_forwarded") === true,
    },
  };
}

/** The contact with this number or this user id. */
export const contactOf = (contacts: readonly Json[], number: string, userId: string | null) =>
  contacts.find(
    (contact) =>
      (number !== "" && text(field(contact, "wa_id")) === number) ||
      (userId !== null && text(field(contact, "user_id")) === userId),
  );

const fileTypes = new Set(["image", "video", "audio", "document", "sticker"]);

/** The file of a message: Meta stores it under an id for seven days. */
function fileOf(type: string, part: Json | undefined): ReceivedFile | null {
  const id = text(field(part, "id"));
  if (!fileTypes.has(type) || !/^\d{1,40}$/.test(id)) return null;
  const mimeType = text(field(part, "mime_type"));
  const name = text(field(part, "filename"))
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, "")
    .trim();
  return {
    id,
    contentType:
      /^[\w.+-]+\/[\w.+-]+(?:; [\w.+=-]+)*$/.test(mimeType) && mimeType.length <= 100 ? mimeType : null,
    filename: name === "" ? null : name.slice(0, 240),
  };
}

/** Meta writes international numbers without a plus, the display number with spaces. */
export function withPlus(number: string): string {
  const digits = number.replace(/[\s()+-]/g, "");
  return /^\d{5,15}$/.test(digits) ? `+${digits}` : number;
}

interface Content {
  line: string;
  reply?: ReceivedReply;
  /** The message that it is about, if its context does not say so. */
  replyTo?: string | null;
}

function contentOf(type: string, message: Json): Content {
  const part = field(message, type);
  switch (type) {
    case "text":
      return { line: text(field(part, "body")) };
    case "image":
    case "video":
    case "document":
      return { line: text(field(part, "caption")) };
    case "interactive":
      return interactiveReply(part);
    case "button": {
      const title = text(field(part, "text"));
      return {
        line: title,
        reply: { type: "button", id: text(field(part, "payload")), title, description: null },
      };
    }
    case "reaction":
      return { line: text(field(part, "emoji")), replyTo: textOrNull(field(part, "message_id")) };
    case "location":
      return { line: locationLine(part) };
    case "contacts":
      return { line: linesOf(part, contactLine) };
    case "order":
      return { line: linesOf(field(part, "product_items"), orderLine) };
    default:
      return { line: "" };
  }
}

/** A list row, a reply button, or the data of a submitted form. */
function interactiveReply(part: Json | undefined): Content {
  const nfm = field(part, "nfm_reply");
  if (nfm !== undefined) {
    const title = textOrNull(field(nfm, "body"));
    const reply = { type: "flow", id: text(field(nfm, "name")), title, description: null } as const;
    return { line: text(field(nfm, "response_json")), reply };
  }
  const row = field(part, "list_reply");
  const chosen = row ?? field(part, "button_reply");
  const title = text(field(chosen, "title"));
  const description = textOrNull(field(chosen, "description"));
  const type = row === undefined ? "button" : "list";
  return { line: title, reply: { type, id: text(field(chosen, "id")), title, description } };
}

/** The contents of the entries, on one line. */
const linesOf = (entries: Json | undefined, lineOf: (entry: Json) => string) =>
  list(entries)
    .map(lineOf)
    .filter((line) => line !== "")
    .join("; ");

function locationLine(part: Json | undefined): string {
  const place = [text(field(part, "name")), text(field(part, "address"))].filter((word) => word !== "");
  const position = `${text(field(part, "latitude"))}, ${text(field(part, "longitude"))}`;
  return place.length === 0 ? position : `${place.join(", ")} (${position})`;
}

function contactLine(contact: Json): string {
  const phones = list(field(contact, "phones")).map((phone) => text(field(phone, "phone")));
  return [text(valueAt(contact, "name", "formatted_name")), ...phones]
    .filter((word) => word !== "")
    .join(" ");
}

function orderLine(item: Json): string {
  const price = `${text(field(item, "item_price"))} ${text(field(item, "currency"))}`.trim();
  const what = `${text(field(item, "quantity"))} × ${text(field(item, "product_retailer_id"))}`;
  return price === "" ? what : `${what} (${price})`;
}
