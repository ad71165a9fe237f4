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
  const text = await bridgeContentOf(messageOf(textOf("Hi")), uploads, signal);
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
  const sent = await bridgeContentOf(messageOf(list), uploads, signal);
  assert.deepEqual(sent, { kind: "text", text: "Choose\n\n1. One\n\nReply with a number." });
});

test("a file has its caption, and audio has none, which the timeline says", async () => {
  const image = messageOf(media({}));
  assert.deepEqual(await bridgeContentOf(image, uploads, signal), {
    kind: "file",
    media: "image",
    caption: "Look",
    file,
  });
  assert.equal(noteOf(image), null);
  const audio = messageOf(media({ media: "audio", text: "x".repeat(2_000) }));
  assert.deepEqual([refusalOf(audio), noteOf(audio)?.split(":")[0]], [null, "caption_not_sent"]);
  const sent = await bridgeContentOf(audio, uploads, signal);
  assert.equal("caption" in sent ? sent.caption : null, "");
});

test("what cannot be sent has an outcome", async () => {
  const outcome = await bridgeContentOf(messageOf(media({})), noUploads, signal);
  assert.deepEqual(outcome, { outcome: gone });
  const codeOf = (content: Parameters<typeof messageOf>[0]) => {
    const refusal = refusalOf(messageOf(content));
    return refusal !== null && "code" in refusal ? refusal.code : null;
  };
  assert.equal(codeOf(media({ text: "x".repeat(1_025) })), "message_too_long");
  assert.equal(codeOf(textOf("x".repeat(65_537))), "message_too_long");
  assert.equal(codeOf(textOf("x".repeat(65_536))), null);
});
