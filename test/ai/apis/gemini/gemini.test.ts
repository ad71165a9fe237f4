// The request of Google's API: its form for members, and the forms of its streams.

import assert from "node:assert/strict";
import test from "node:test";
import { createContentRequest, geminiApi } from "#ai/apis/gemini/gemini.ts";

const body = { contents: [{ parts: [{ text: "Hello!" }] }] };
const request = (isEvents: boolean) =>
  createContentRequest({ text: JSON.stringify(body), body, stream: true }, "stem", isEvents);

test("limits go by the chat completion, and a request without one asks for nothing", () => {
  assert.deepEqual(request(true).estimated, {
    messages: [{ role: "user", content: "Hello!" }],
    stream: true,
  });
  const cached = { ...body, cachedContent: "cachedContents/1" };
  const asked = createContentRequest(
    { text: JSON.stringify(cached), body: cached, stream: false },
    "stem",
    true,
  );
  assert.deepEqual([asked.chat().kind, asked.estimated], ["unsupported_parameter", {}]);
});

test("a stream that is no events says so, and is kept alive by blanks", () => {
  assert.deepEqual([request(true).streamType, request(true).keepAlive], [undefined, undefined]);
  assert.match(request(false).streamType ?? "", /json/);
  assert.equal(request(false).keepAlive?.(), "\n");
});

test("each operation is there at both versions", () => {
  const paths = geminiApi.operations.map(({ path }) => path);
  for (const verb of [
    "generateContent",
    "streamGenerateContent",
    "countTokens",
    "embedContent",
    "batchEmbedContents",
  ])
    for (const version of ["v1beta", "v1"])
      assert.ok(paths.includes(`/api/ai/${version}/models/{model}:${verb}`), verb);
});
