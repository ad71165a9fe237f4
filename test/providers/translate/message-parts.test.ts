// Parts that are no text: bytes, links, and what is neither.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaPart } from "#providers/translate/message-parts.ts";

const image = (url: unknown) => mediaPart({ type: "image_url", image_url: { url } });

test("data URLs become bytes", () => {
  const png = { kind: "data", mediaType: "image/png", base64: "AA==", name: null };
  assert.deepEqual(image("data:image/png;base64,AA=="), png);
  assert.deepEqual(image("DATA:Image/PNG;charset=x;BASE64,AA=="), png);
  assert.deepEqual(image("data:,a%20b"), {
    kind: "data",
    mediaType: "text/plain",
    base64: "YSBi",
    name: null,
  });
  assert.deepEqual(mediaPart({ type: "image_url", image_url: "data:image/png;base64,AA==" }), png);
});

test("links keep their URL; the type comes from the ending", () => {
  const link = (url: string) => image(url);
  assert.deepEqual(link("https://x.test/a.JPG?b=1"), {
    kind: "link",
    url: "https://x.test/a.JPG?b=1",
    mediaType: "image/jpeg",
  });
  assert.deepEqual(link("HTTP://x.test/constructor"), {
    kind: "link",
    url: "http://x.test/constructor",
    mediaType: null,
  });
});

test("sounds and files", () => {
  assert.deepEqual(mediaPart({ type: "input_audio", input_audio: { data: "AA==", format: "mp3" } }), {
    kind: "data",
    mediaType: "audio/mp3",
    base64: "AA==",
    name: null,
  });
  assert.deepEqual(
    mediaPart({ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" } }),
    { kind: "data", mediaType: "application/pdf", base64: "AA==", name: "a.pdf" },
  );
});

test("what cannot be translated says why", () => {
  for (const part of [
    { type: "image_url" },
    { type: "image_url", image_url: { url: "file:///etc/passwd" } },
    { type: "image_url", image_url: { url: "gs://bucket/a.png" } },
    { type: "image_url", image_url: { url: "data:image/png;base64" } },
    { type: "image_url", image_url: { url: "data:,%zz" } },
    { type: "input_audio", input_audio: { data: "AA==", format: "a/b" } },
    { type: "file", file: { file_id: "file-1" } },
    { type: "video_url", video_url: { url: "https://x.test/a.mp4" } },
    {},
  ]) {
    assert.match(String(mediaPart(part)), /\.$/, JSON.stringify(part));
  }
});
