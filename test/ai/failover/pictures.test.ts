// Pictures in answers, from OpenRouter and from Gemini, at every API: whole, streamed, and folded from a stream.

import assert from "node:assert/strict";
import test from "node:test";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { recordedStream } from "../../providers/fixtures.ts";
import { eventsOf } from "../../providers/sse.ts";
import { drain, poolOf, requested, start } from "../completing.ts";
import { json, type Reply, type Script, script, streamed } from "../scripted-members.ts";

type Fields = Record<string, unknown>;
interface Spoken {
  images?: { image_url: { url: string } }[];
}

/** The addresses of the pictures in a completion, or in a chunk. */
const urlsIn = (text: string): string[] =>
  (JSON.parse(text) as { choices: { message?: Spoken; delta?: Spoken }[] }).choices
    .flatMap(({ message, delta }) => (message ?? delta)?.images ?? [])
    .map(({ image_url: image }) => image.url);

const png = "iVBORw0KGgo=";
const url = `data:image/png;base64,${png}`;
const link = "https://pictures.test/fox.png";

const chatOf = (images: object[]) =>
  json({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "theirs",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "", images },
        native_finish_reason: "STOP",
        finish_reason: "stop",
      },
    ],
  });
const openrouterWhole = chatOf([{ type: "image_url", image_url: { url }, index: 0 }]);
const geminiWhole = json({
  candidates: [
    { content: { parts: [{ inlineData: { mimeType: "image/png", data: png } }] }, finishReason: "STOP" },
  ],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1290 },
});
const openrouterStream = streamed(recordedStream("openai", "openrouter-pictures-alone.sse"));
const geminiStream = streamed(recordedStream("gemini", "pictures-between-texts.sse"));

const member = (it: Script, vendor: string, reply: Reply) =>
  vendor === "gemini"
    ? it.member("gemini", [reply], {
        provider: gemini,
        models: ["gemini-3-pro-image"],
        settings: gemini.settings.parse({ api_key: "key", base_url: "http://gemini.test" }),
      })
    : it.member("openrouter", [reply]);

const apis: Readonly<Record<string, (body: Fields) => ApiRequest>> = {
  chat: (body) => new ChatCompletionsRequest({ text: JSON.stringify(body), body, includeUsage: false }),
  responses: (body) => createResponsesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem", 1),
  messages: (body) => createMessagesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem"),
};
const bodies: Readonly<Record<string, Fields>> = {
  chat: { messages: [{ role: "user", content: "A fox" }], modalities: ["text", "image"] },
  responses: { input: "A fox" },
  messages: { messages: [{ role: "user", content: "A fox" }], max_tokens: 64 },
};

/** The text that a client of the API gets of one member that answers so; the member has to be as well as before. */
async function textOf(
  api: string,
  vendor: string,
  reply: Reply,
  stream: boolean,
  folds = false,
): Promise<string> {
  const it = script();
  const one = member(it, vendor, reply);
  const body = { ...bodies[api], stream };
  const { completed } = start(
    it,
    poolOf([one], folds ? { whole_answers: "stream" } : {}),
    requested(stream, { text: JSON.stringify(body), body, api: apis[api]!(body) }),
  );
  const result = await completed;
  assert.deepEqual(it.down, []);
  if (stream) return await drain(result);
  assert.equal(result.kind, "answer", JSON.stringify(result));
  return result.kind === "answer" ? result.text : "";
}

for (const [vendor, whole, inPieces] of [
  ["openrouter", openrouterWhole, openrouterStream],
  ["gemini", geminiWhole, geminiStream],
] as const) {
  test(`${vendor}: chat completions have pictures in \`images\``, async () => {
    const both = [url, "data:image/jpeg;base64,/9j/4AAQSkY="];
    assert.deepEqual(urlsIn(await textOf("chat", vendor, whole, false)), [url]);
    assert.deepEqual(urlsIn(await textOf("chat", vendor, inPieces, false, true)), both);
    const lines = (await textOf("chat", vendor, inPieces, true)).match(/(?<=^data: )\{.*/gm) ?? [];
    assert.deepEqual(lines.flatMap(urlsIn), both);
  });

  test(`${vendor}: responses have pictures as items of OpenAI's image tool`, async () => {
    const { output } = JSON.parse(await textOf("responses", vendor, whole, false)) as { output: Fields[] };
    assert.deepEqual(output, [
      {
        type: "image_generation_call",
        id: "ig_stem_0",
        status: "completed",
        output_format: "png",
        result: png,
      },
    ]);
    const events = eventsOf(await textOf("responses", vendor, inPieces, true)).map(
      ({ data }) => JSON.parse(data) as Fields,
    );
    const done = events.flatMap(({ type, item }) =>
      type === "response.output_item.done" ? [item as Fields] : [],
    );
    const last = events.at(-1) as { type: string; response: { output: Fields[] } };
    assert.equal(last.type, "response.completed");
    assert.deepEqual(last.response.output, done);
    const pictures = done.filter(({ type }) => type === "image_generation_call");
    assert.deepEqual(
      pictures.map(({ result, output_format: format }) => [result, format]),
      [
        [png, "png"],
        ["/9j/4AAQSkY=", "jpeg"],
      ],
    );
    assert.deepEqual(
      events.map(({ type }) => String(type)).filter((type) => type.includes("image_generation_call")),
      ["in_progress", "generating", "completed", "in_progress", "generating", "completed"].map(
        (step) => `response.image_generation_call.${step}`,
      ),
    );
  });

  test(`${vendor}: a message says that there is a picture`, async () => {
    const note = /^\(The model made a picture, image\/png\./;
    const { content } = JSON.parse(await textOf("messages", vendor, whole, false)) as { content: Fields[] };
    assert.deepEqual(
      content.map(({ type }) => type),
      ["text"],
    );
    assert.match(String(content[0]?.text), note);
    const events = eventsOf(await textOf("messages", vendor, inPieces, true));
    assert.equal(events.at(-1)?.event, "message_stop");
    const texts = events.map(
      ({ data }) => (JSON.parse(data) as { delta?: { text?: string } }).delta?.text ?? "",
    );
    assert.ok(texts.some((text) => note.test(text)));
  });
}

test("a picture that is a link is one at every API", async () => {
  const reply = chatOf([{ type: "image_url", image_url: { url: link } }]);
  for (const api of Object.keys(apis))
    assert.ok((await textOf(api, "openrouter", reply, false)).includes(link), api);
});
