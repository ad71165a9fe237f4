// What is sent, as a message of WhatsApp's protocol.

import type { BridgeContent } from "../../src/gateways/whatsapp/linked/protocol.ts";
import { type Library, silent } from "./library.ts";

/** `messageId`: WhatsApp's. `userJid`: the linked account. */
export async function messageOf(
  { generateWAMessage, proto }: Library,
  content: BridgeContent,
  { messageId, jid, userJid }: { messageId: string; jid: string; userJid: string | undefined },
): Promise<unknown> {
  if (content.kind === "file") return proto.Message.fromObject(fileMessage(content));
  // The library would fetch links for a preview.
  const text = { text: content.text, linkPreview: null };
  return (await generateWAMessage(jid, text, { logger: silent, userJid, messageId })).message;
}

/** Without a thumbnail and a duration: the library would start other programs for them. */
function fileMessage({ media, caption, file: { filename, ...file } }: BridgeContent & { kind: "file" }) {
  const withCaption = caption === "" ? {} : { caption };
  const name = media === "document" ? { fileName: filename || "document", title: filename } : {};
  const mediaKeyTimestamp = Math.floor(Date.now() / 1_000);
  return { [`${media}Message`]: { ...file, mediaKeyTimestamp, ...withCaption, ...name } };
}
