// Tokens where no vendor counted them: text by its length, media by flat numbers, never by the length of base64.

import assert from "node:assert/strict";
import test from "node:test";
import { answerTokens, promptTokens, reservedTokens } from "#ai/limits/estimate.ts";

const chat = (content: unknown, more: object = {}) =>
  promptTokens("chat", { messages: [{ role: "user", content }], ...more });
const text = (words: string) => ({ type: "text", text: words });
const picture = (bytes: number, more: object = {}) => ({
  type: "image_url",
  image_url: { url: `data:image/png;base64,${"iVBORw0K".repeat(bytes / 6)}`, ...more },
});

test("text counts a token for four letters, with three for each message, its role and its syntax for nothing", () => {
  assert.equal(chat("x".repeat(40)), 13);
  assert.equal(chat([text("x".repeat(40)), text("y".repeat(4))]), 14);
  assert.equal(promptTokens("chat", { messages: [] }), 0);
  const history = [
    { role: "user", content: "x".repeat(8) },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1234", function: { name: "find", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "1234", content: "y".repeat(400) },
  ];
  const tokens = promptTokens("chat", { messages: history });
  assert.ok(tokens >= 9 + 102 && tokens <= 9 + 102 + 20, `${tokens}`);
});

test("the tools and the schema of the answer are part of the prompt", () => {
  const tools = [
    { type: "function", function: { name: "find", description: "x".repeat(4_000), parameters: {} } },
  ];
  const tokens = chat("hello", { tools });
  assert.ok(tokens > 1_000 && tokens < 1_030, `${tokens}`);
  const format = {
    type: "json_schema",
    json_schema: { name: "a", schema: { description: "y".repeat(400) } },
  };
  assert.ok(chat("hello", { response_format: format }) > 100);
});

test("an image counts the same at every size, inline or by address, and little with detail low", () => {
  const small = chat([picture(60)]);
  for (const part of [
    picture(1_200_000),
    picture(12_000_000, { detail: "high" }),
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(100_000)}` },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(100_000) } },
  ])
    assert.equal(chat([part]), small);
  assert.ok(small >= 765 && small <= 2_000, `${small}`);
  assert.equal(chat([picture(1_200_000, { detail: "low" })]), 3 + 85);
  assert.equal(chat([picture(60), text("x".repeat(40))]), small + 10);
});

test("sound counts by the second, a document by the page, a text file as text", () => {
  const sound = (format: string, bytes: number) =>
    chat([{ type: "input_audio", input_audio: { format, data: "A".repeat((bytes / 3) * 4) } }]) - 3;
  assert.equal(sound("wav", 480_000), 10 * 32);
  assert.equal(sound("mp3", 480_000), 30 * 32);
  assert.equal(sound("wav", 3_000_000_000 / 100), 625 * 32);
  const file = (data: string) => chat([{ type: "file", file: { filename: "a", file_data: data } }]) - 3;
  assert.equal(file(`data:application/pdf;base64,${"A".repeat(1_333_000)}`), 10 * 1_500);
  assert.equal(file(`data:application/pdf;base64,${"A".repeat(40_000_000)}`), 100 * 1_500);
  const letters = `data:text/plain;base64,${"A".repeat(40_000)}`;
  assert.equal(file(letters), Math.ceil(Math.floor((letters.length * 3) / 4) / 4));
  assert.equal(chat([{ type: "file", file: { file_id: "file-1" } }]), 3 + 5 * 1_500);
  assert.equal(chat([{ type: "video_url", video_url: { url: "https://example.com/a.mp4" } }]), 3 + 10 * 263);
});

test("media in a place that is not known is not taken for text, and long text is not taken for media", () => {
  for (const data of [`data:image/png;base64,${"A".repeat(1e6)}`, "iVBORw0K".repeat(1e5)])
    assert.ok(chat([{ type: "new", payload: { data } }]) < 2_000);
  const letter = "long words and short ones ".repeat(10_000);
  assert.ok(chat([{ type: "new", payload: { letter } }]) > 60_000);
  assert.ok(chat([{ type: "new", payload: { letter: "長".repeat(10_000) } }]) > 2_000);
  assert.ok(
    chat("A".repeat(40_000)) > 10_000,
    "the text of a message is text, also one that looks like an image",
  );
});

test("an embedding's input: each text for itself, lists of tokens by their length", () => {
  const of = (input: unknown) => promptTokens("embeddings", { input });
  assert.equal(of("hello world"), 3);
  assert.equal(of(["hello world", "a", "b"]), 5);
  assert.equal(of([1, 2, 3, 4]), 4);
  assert.equal(of([[1, 2], [3], []]), 3);
  assert.equal(of([]), 0);
  assert.equal(of(7), 0);
});

test("the reservation: the prompt and the bound of each answer, or what is usual; none for embeddings", () => {
  const of = (body: object) => reservedTokens("chat", { ...body }, 11);
  assert.equal(of({}), 11 + 256);
  assert.equal(of({ max_tokens: 10 }), 21);
  assert.equal(of({ max_tokens: 10, max_completion_tokens: 20.5 }), 32);
  assert.equal(of({ max_tokens: "many", max_completion_tokens: -1 }), 11 + 256);
  assert.equal(of({ max_tokens: 1e12 }), 11 + 1_000_000);
  assert.equal(of({ max_tokens: 10, n: 4 }), 11 + 40);
  assert.equal(of({ max_tokens: 1e6, n: 4 }), 11 + 1_000_000);
  for (const n of [0, -3, "4", null]) assert.equal(of({ max_tokens: 10, n }), 21);
  assert.equal(reservedTokens("embeddings", { max_tokens: 10 }, 11), 11);
});

test("an answer: text, reasoning, refusals, calls and a flat number for pictures, of all choices; nothing else of its JSON", () => {
  const of = (...messages: object[]) =>
    answerTokens(
      "chat",
      JSON.stringify({ id: "x".repeat(999), choices: messages.map((message) => ({ message })) }),
    );
  const call = { id: "call", type: "function", function: { name: "find", arguments: '{"a":"bc"}  ' } };
  assert.equal(of({ content: "x".repeat(40) }), 10);
  assert.equal(of({ content: "x".repeat(40) }, { content: "y".repeat(40) }), 20);
  assert.equal(of({ content: null, tool_calls: [call] }), 4);
  assert.equal(of({ content: "x", reasoning_content: "y".repeat(43) }), 11);
  assert.equal(of({ content: "x", reasoning_content: "y".repeat(43), reasoning: "y".repeat(43) }), 11);
  assert.equal(of({ content: [{ type: "text", text: "x".repeat(40) }] }), 10);
  assert.equal(of({ refusal: "x".repeat(40) }), 10);
  assert.equal(of({ content: "", images: [{ image_url: { url: "x".repeat(4_000) } }] }), 1_600);
  assert.equal(answerTokens("chat", "[]"), 0);
  assert.equal(answerTokens("embeddings", '{"data":[{"embedding":[0.1,0.2]}]}'), 0);
});
