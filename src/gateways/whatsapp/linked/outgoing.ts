// A message in the form that the bridge sends.

import { exceeds } from "#contract/normalise.ts";
import type { ListContent, OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { listText, pollOf } from "./lists.ts";
import type { BridgeContent } from "./protocol.ts";
import type { LinkedSettings } from "./settings.ts";
import type { FileUploads } from "./uploads.ts";

export type LinkedContent = "text" | "list" | "media";

export const maxTextChars = 65_536;
export const maxCaptionChars = 1024;

/** The outcome of a message that cannot be sent in this form. */
export function refusalOf({ content }: OutgoingMessage<LinkedContent>): Outcome | null {
  const max = content.kind === "media" ? maxCaptionChars : maxTextChars;
  const text = content.kind === "list" ? listText(content) : content.text;
  if (!exceeds(text, max) || hasNoCaption(content)) return null;
  return { kind: "rejected", code: "message_too_long", reason: `The text is longer than ${max} characters.` };
}

/** Uploads a file. Returns an outcome if that failed, and nothing of the message has left. */
export async function bridgeContentOf(
  message: OutgoingMessage<LinkedContent>,
  settings: Pick<LinkedSettings, "list_as">,
  uploads: FileUploads,
  signal: AbortSignal,
): Promise<BridgeContent | { outcome: Outcome }> {
  const { content } = message;
  if (content.kind === "text") return { kind: "text", text: content.text };
  if (content.kind === "list") return pollFor(content, settings) ?? { kind: "text", text: listText(content) };
  const uploaded = await uploads.fileOf({ ...message, content }, signal);
  if ("kind" in uploaded) return { outcome: uploaded };
  const caption = hasNoCaption(content) ? "" : content.text;
  return { kind: "file", media: content.media, caption, file: uploaded.file };
}

/** The list as a poll; null if it is sent as a text. */
export const pollFor = (list: ListContent, { list_as }: Pick<LinkedSettings, "list_as">) =>
  list_as === "poll" ? pollOf(list) : null;

/** The note for the timeline of a message whose text was not sent completely; null if it was. */
export const noteOf = ({ content }: OutgoingMessage<LinkedContent>): string | null =>
  hasNoCaption(content) && content.text !== ""
    ? "caption_not_sent: WhatsApp shows no text with audio."
    : null;

const hasNoCaption = (content: OutgoingMessage<LinkedContent>["content"]) =>
  content.kind === "media" && content.media === "audio";
