// An outgoing message in WhatsApp's protocol.

import type { BridgeContent } from "../../src/gateways/whatsapp/linked/protocol.ts";
import { type Library, silent } from "./library.ts";
import type { Polls } from "./polls.ts";

/** `messageId`: WhatsApp's. `userJid`: the linked account. A poll is stored before it is returned. */
export async function messageOf(
  { generateWAMessage, proto }: Library,
  polls: Polls,
  content: BridgeContent,
  { messageId, jid, userJid }: { messageId: string; jid: string; userJid: string | undefined },
): Promise<unknown> {
  if (content.kind === "file") return proto.Message.fromObject(fileMessage(content));
  // The library would fetch links for a preview.
  const generated =
    content.kind === "text"
      ? { text: content.text, linkPreview: null }
      : { poll: { ...pollMessage(content), messageSecret: await polls.keep(messageId, content) } };
  return (await generateWAMessage(jid, generated, { logger: silent, userJid, messageId })).message;
}

const pollMessage = ({ question, options }: BridgeContent & { kind: "poll" }) => ({
  name: question,
  values: options.map(({ text }) => text),
  selectableCount: 1,
});

/** Without a thumbnail and a duration: the library would start other programs for them. */
function fileMessage({ media, caption, file: { filename, ...file } }: BridgeContent & { kind: "file" }) {
  const withCaption = caption === "" ? {} : { caption };
  const name = media === "document" ? { fileName: filename || "document", title: filename } : {};
  const mediaKeyTimestamp = Math.floor(Date.now() / 1_000);
  return { [`${media}Message`]: { ...file, mediaKeyTimestamp, ...withCaption, ...name } };
}
