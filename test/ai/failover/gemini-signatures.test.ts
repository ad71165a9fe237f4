// Gemini's signatures on texts and pictures, which the client sends back: they stand on the same parts again, at every API.

import assert from "node:assert/strict";
import test from "node:test";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { fold } from "#providers/translate/fold.ts";
import { answered, json, type Reply, type Script, script, streamed } from "../scripted-members.ts";
import { call, run } from "./chain-calls.ts";

type Fields = Record<string, unknown>;

const picture = (data: string, thoughtSignature?: string) => ({
  inlineData: { mimeType: "image/png", data },
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});
const candidate = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  responseId: "r1",
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
});
const whole = (...parts: readonly object[]) => json(candidate(parts, { finishReason: "STOP" }));

const member = (it: Script, replies: readonly Reply[]) =>
  it.member("gemini", replies, {
    provider: gemini,
    models: ["gemini-3-pro-image"],
    settings: gemini.settings.parse({ api_key: "key", base_url: "http://gemini.test" }),
  });

const partsSent = (it: Script, at: number): object[] => {
  const { contents } = JSON.parse(String(it.asked[at]?.request.body)) as { contents: { parts: object[] }[] };
  return contents.map(({ parts }) => parts).at(1) ?? [];
};

const hi = { role: "user", content: "hi" };
const chat = (body: Fields) =>
  new ChatCompletionsRequest({ text: JSON.stringify(body), body, includeUsage: false });
const ask = (it: Script, members: ReturnType<typeof member>[], body: Fields, api: ApiRequest = chat(body)) =>
  run(
    it,
    call(members, body.stream === true ? "buffered" : "chat", { text: JSON.stringify(body), body, api }),
  );

async function messageOf(it: Script, members: ReturnType<typeof member>[], stream: boolean) {
  const result = await ask(it, members, { messages: [hi], stream });
  assert.ok(result.kind === "answer" || result.kind === "buffered", JSON.stringify(result));
  const text = result.kind === "answer" ? result.text : fold(result.chunks).text;
  return (JSON.parse(text) as { choices: [{ message: Fields }] }).choices[0].message;
}

test("chat completions: a signed text, and signed pictures, are the model's own again; an unsigned picture is the user's", async () => {
  const it = script();
  const one = member(it, [
    whole({ text: "Here.", thoughtSignature: "dGV4dA==" }, picture("AA=="), picture("AQ==", "cGlj")),
  ]);
  const message = await messageOf(it, [one], false);
  await ask(it, [one], { messages: [hi, message, { role: "user", content: "bluer" }] });
  assert.deepEqual(partsSent(it, 1), [
    { text: "Here.", thoughtSignature: "dGV4dA==" },
    picture("AQ==", "cGlj"),
  ]);
  const { contents } = JSON.parse(String(it.asked[1]?.request.body)) as { contents: { parts: object[] }[] };
  assert.deepEqual(contents[2]?.parts, [
    { text: "The assistant made these pictures:" },
    picture("AA=="),
    { text: "bluer" },
  ]);
});

test("chat completions: a stream's signature comes with an empty text at its end", async () => {
  const it = script();
  const events = [
    candidate([{ text: "He" }]),
    candidate([{ text: "re." }]),
    candidate([{ text: "", thoughtSignature: "ZW5k" }], { finishReason: "STOP" }),
  ].map((value) => `data: ${JSON.stringify(value)}\n\n`);
  const one = member(it, [streamed(...events)]);
  const message = await messageOf(it, [one], true);
  await ask(it, [one], { messages: [hi, message, hi] });
  assert.deepEqual(partsSent(it, 1), [{ text: "Here.", thoughtSignature: "ZW5k" }]);
});

test("another member is asked without them", async () => {
  const it = script();
  const one = member(it, [
    whole({ text: "Here.", thoughtSignature: "dGV4dA==" }),
    json({ error: { code: 500 } }, 500),
  ]);
  const members = [one, it.member("other", [answered()])];
  const message = await messageOf(it, members, false);
  await ask(it, members, { messages: [hi, message, hi] });
  assert.equal(it.names().at(-1), "other");
  assert.ok(!String(it.asked.at(-1)?.request.body).includes("dGV4dA=="));
});

const rules = {
  model: "asked",
  created: 1,
  served: { provider: "gemini", model: "m", latency_ms: 1, attempts: 1 },
  promptTokens: 1,
};

test("Responses and Messages: the signature of a text is sealed in the thoughts beside it", async () => {
  const signed = whole({ text: "Here.", thoughtSignature: "dGV4dA==" });
  const responses = (body: Fields) =>
    createResponsesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem", 1);
  const messages = (body: Fields) =>
    createMessagesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem");
  const apis = [
    {
      api: responses,
      first: { model: "m", input: [hi], include: ["reasoning.encrypted_content"] } as Fields,
      next: (answer: Fields, first: Fields) => ({ ...first, input: [hi, ...(answer.output as []), hi] }),
    },
    {
      api: messages,
      first: { model: "m", max_tokens: 9, messages: [hi], thinking: { type: "adaptive" } } as Fields,
      next: (answer: Fields, first: Fields) => ({
        ...first,
        messages: [hi, { role: "assistant", content: answer.content }, hi],
      }),
    },
  ];
  for (const { api, first, next } of apis) {
    const it = script();
    const one = member(it, [signed]);
    const result = await ask(it, [one], first, api(first));
    assert.ok(result.kind === "answer", JSON.stringify(result));
    const answer = JSON.parse(api(first).answer(result.text, false, rules)) as Fields;
    const second = next(answer, first);
    await ask(it, [one], second, api(second));
    assert.deepEqual(partsSent(it, 1), [{ text: "Here.", thoughtSignature: "dGV4dA==" }]);
  }
});
