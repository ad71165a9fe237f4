// Messages as the bridge sends them: lists as texts, files with their caption, audio without one.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { MediaContent } from "#gateways/message.ts";
import { bridgeContentOf, noteOf, refusalOf } from "#gateways/whatsapp/linked/outgoing.ts";
import type { FileUploads } from "#gateways/whatsapp/linked/uploads.ts";
import { sampleMessage, textOf } from "../../conformance-samples.ts";

const file = { url: "https://mmg.whatsapp.net/v/1", directPath: "/v/1" };
const uploads = { fileOf: async () => ({ file }) } as unknown as FileUploads;
const gone = { kind: "rejected", code: "media_unreachable", reason: "The file is empty." } as const;
const noUploads = { fileOf: async () => gone } as unknown as FileUploads;
const { signal } = new AbortController();
const asText = { list_as: "text" } as const;
const asPoll = { list_as: "poll" } as const;
const media = (change: Partial<MediaContent>): MediaContent => ({
  kind: "media",
  media: "image",
  url: "https://files.example/a.png",
  filename: null,
  text: "Look",
  ...change,
});
const messageOf = (content: Parameters<typeof refusalOf>[0]["content"]) => ({ ...sampleMessage(), content });

test("a text and a list are texts", async () => {
  const text = await bridgeContentOf(messageOf(textOf("Hi")), asText, uploads, signal);
  assert.deepEqual(text, { kind: "text", text: "Hi" });
  const sections = [{ title: null, rows: [{ id: "a", title: "One", description: null }] }];
  const list = {
    kind: "list",
    text: "Choose",
    header: null,
    footer: null,
    button: "Show",
    sections,
  } as const;
  const sent = await bridgeContentOf(messageOf(list), asText, uploads, signal);
  const numbered = { kind: "text", text: "Choose\n\n1. One\n\nReply with a number." };
  assert.deepEqual(sent, numbered);
  // One option is no poll.
  assert.deepEqual(await bridgeContentOf(messageOf(list), asPoll, uploads, signal), numbered);
  const two = { id: "b", title: "Two", description: null };
  const rows = [...(sections[0]?.rows ?? []), two];
  const longer = { ...list, sections: [{ title: null, rows }] };
  assert.deepEqual(await bridgeContentOf(messageOf(longer), asPoll, uploads, signal), {
    kind: "poll",
    question: "Choose",
    options: [
      { id: "a", title: "One", text: "One" },
      { id: "b", title: "Two", text: "Two" },
    ],
  });
});

test("a file has its caption, and audio has none, which the timeline says", async () => {
  const image = messageOf(media({}));
  assert.deepEqual(await bridgeContentOf(image, asText, uploads, signal), {
    kind: "file",
    media: "image",
    caption: "Look",
    file,
  });
  assert.equal(noteOf(image), null);
  const audio = messageOf(media({ media: "audio", text: "x".repeat(2_000) }));
  assert.deepEqual([refusalOf(audio), noteOf(audio)?.split(":")[0]], [null, "caption_not_sent"]);
  const sent = await bridgeContentOf(audio, asText, uploads, signal);
  assert.equal("caption" in sent ? sent.caption : null, "");
});

test("what cannot be sent has an outcome", async () => {
  const outcome = await bridgeContentOf(messageOf(media({})), asText, noUploads, signal);
  assert.deepEqual(outcome, { outcome: gone });
  const codeOf = (content: Parameters<typeof messageOf>[0]) => {
    const refusal = refusalOf(messageOf(content));
    return refusal !== null && "code" in refusal ? refusal.code : null;
  };
  assert.equal(codeOf(media({ text: "x".repeat(1_025) })), "message_too_long");
  assert.equal(codeOf(textOf("x".repeat(65_537))), "message_too_long");
  assert.equal(codeOf(textOf("x".repeat(65_536))), null);
});
