// The contents of a decrypted message, as plain values.

import type { ReceivedFacts } from "../../src/gateways/whatsapp/linked/protocol.ts";
import type { Vote } from "./polls.ts";

type Fields = Record<string, unknown>;
type Content = Pick<ReceivedFacts, "type" | "text" | "reply" | "answers" | "forwarded" | "file">;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const field = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((at, name) => (isFields(at) ? at[name] : undefined), value);
const textOf = (value: unknown, max = 65_536): string =>
  typeof value === "string" ? value.slice(0, max) : "";
const numberText = (value: unknown): string => (typeof value === "number" ? String(value) : "");

/** Envelopes around the actual message. */
const envelopes = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "documentWithCaptionMessage",
  "deviceSentMessage",
] as const;

/** The message that a person sent. Null for anything else, such as a change of an earlier message, or keys. */
export function contentOf(message: unknown): Content | null {
  let inner: unknown = message;
  for (let depth = 0; depth < 5; depth += 1) {
    const wrapped = envelopes.map((name) => field(inner, name, "message")).find(isFields);
    if (wrapped === undefined) break;
    inner = wrapped;
  }
  const found = partOf(inner);
  if (found === null) return null;
  const { part, ...content } = found;
  const context = field(part, "contextInfo");
  return {
    reply: null,
    file: null,
    ...content,
    answers: content.answers ?? (textOf(field(context, "stanzaId"), 200) || null),
    forwarded: field(context, "isForwarded") === true,
  };
}

/** A vote in a poll that represents a list is an answer to the list. */
export const chosenIn = ({ pollId, reply }: Vote): Content => ({
  type: "interactive",
  text: reply.title ?? "",
  reply,
  answers: pollId,
  forwarded: false,
  file: null,
});

type Part = { part: unknown; type: string; text: string } & Partial<
  Pick<Content, "reply" | "answers" | "file">
>;

function partOf(message: unknown): Part | null {
  const conversation = field(message, "conversation");
  if (typeof conversation === "string" && conversation !== "")
    return { part: null, type: "text", text: textOf(conversation) };
  const of = (name: string) => field(message, name);
  const extended = of("extendedTextMessage");
  if (isFields(extended)) return { part: extended, type: "text", text: textOf(field(extended, "text")) };
  for (const type of ["image", "video", "document", "audio", "sticker"] as const) {
    const part = of(`${type}Message`);
    if (isFields(part)) return { part, type, text: textOf(field(part, "caption")), file: fileOf(type, part) };
  }
  const chosen = of("listResponseMessage");
  if (isFields(chosen)) {
    const title = textOf(field(chosen, "title"), 300);
    const id = textOf(field(chosen, "singleSelectReply", "selectedRowId"), 300);
    return { part: chosen, type: "interactive", text: title, reply: { type: "list", id, title } };
  }
  const button = of("buttonsResponseMessage") ?? of("templateButtonReplyMessage");
  if (isFields(button)) {
    const title = textOf(field(button, "selectedDisplayText"), 300);
    const id = textOf(field(button, "selectedButtonId") ?? field(button, "selectedId"), 300);
    return { part: button, type: "button", text: title, reply: { type: "button", id, title } };
  }
  const location = of("locationMessage");
  if (isFields(location)) {
    const place = [textOf(field(location, "name"), 200), textOf(field(location, "address"), 300)];
    const position = [field(location, "degreesLatitude"), field(location, "degreesLongitude")];
    const words = [...place, position.map(numberText).join(", ")].filter((word) => word !== "");
    return { part: location, type: "location", text: words.join(", ") };
  }
  const contact = of("contactMessage");
  if (isFields(contact))
    return { part: contact, type: "contacts", text: textOf(field(contact, "displayName"), 300) };
  const reaction = of("reactionMessage");
  if (isFields(reaction)) {
    const answers = textOf(field(reaction, "key", "id"), 200) || null;
    return { part: null, type: "reaction", text: textOf(field(reaction, "text"), 20), answers };
  }
  return null;
}

/** Null if WhatsApp does not store it. */
function fileOf(kind: NonNullable<Content["file"]>["kind"], part: Fields): Content["file"] {
  const key = field(part, "mediaKey");
  const path = textOf(field(part, "directPath"), 1_500);
  if (!(key instanceof Uint8Array) || key.length !== 32 || !/^\/[\w./?=&%:~+-]{1,1499}$/.test(path))
    return null;
  const contentType = textOf(field(part, "mimetype"), 200) || null;
  const filename = textOf(field(part, "fileName"), 300) || null;
  return { kind, path, key: Buffer.from(key).toString("base64"), contentType, filename };
}
