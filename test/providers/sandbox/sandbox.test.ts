// The sandbox's answers take the way of a real provider's: they are played, read back by the same readers, and each
// model does what its name says.

import assert from "node:assert/strict";
import test from "node:test";
import type { SimulatedResponse } from "#providers/provider.ts";
import { sandbox, sandboxModels } from "#providers/sandbox/sandbox.ts";

interface Asked {
  model: string;
  stream?: boolean;
  body?: object;
}

function ask({ model, stream = false, body = {} }: Asked) {
  const whole = { model, messages: [{ role: "user", content: "one two three four" }], ...body };
  const request = { text: JSON.stringify(whole), body: whole, model, stream };
  const prepared = sandbox.chat(request, {});
  assert.ok(prepared.kind === "simulated");
  return { request, answer: prepared.answer };
}

const textOf = ({ pieces }: SimulatedResponse) =>
  pieces.map((piece) => ("cut" in piece ? "" : piece.text)).join("");

/** What the reader makes of a played stream, and how long it waits in all. */
function played(asked: Asked) {
  const { request, answer } = ask({ ...asked, stream: true });
  assert.deepEqual([answer.status, answer.contentType], [200, "text/event-stream"]);
  const reader = sandbox.stream(request);
  const events = textOf(answer).split("\n\n").filter(Boolean);
  const pieces = events.flatMap((event) => {
    assert.ok(event.startsWith("data: "));
    return reader.push({ event: null, data: event.slice(6) });
  });
  const chunks = pieces.flatMap((piece) => (piece.kind === "chunk" ? [piece] : []));
  const deltas = chunks.map(({ text }) => JSON.parse(text).choices[0]?.delta ?? {});
  return {
    pieces,
    chunks,
    written: deltas.map(({ content }) => content ?? "").join(""),
    calls: deltas.flatMap(({ tool_calls }) => tool_calls ?? []),
    cut: answer.pieces.some((piece) => "cut" in piece),
    waits: answer.pieces.map(({ waitMs = 0 }: { waitMs?: number }) => waitMs),
  };
}

/** A whole answer. */
function whole(asked: Asked) {
  const { request, answer } = ask(asked);
  assert.deepEqual([answer.status, answer.contentType], [200, "application/json"]);
  const read = sandbox.answer(textOf(answer), request);
  assert.ok(read.kind === "answer");
  const value = JSON.parse(read.text);
  return { read, value, choice: value.choices[0], waits: answer.pieces };
}

test("a stream whose caller asks for usage says null before it", () => {
  const body = { stream_options: { include_usage: true } };
  const { chunks } = played({ model: "echo", body });
  const usages = chunks.map(({ text }) => (JSON.parse(text) as { usage?: unknown }).usage);
  assert.equal(typeof usages.pop(), "object");
  assert.deepEqual([...new Set(usages)], [null]);
});

test("echo says what the user said, whole and word by word, and counts", () => {
  const { read, value, choice } = whole({ model: "echo" });
  assert.equal(choice.message.content, "one two three four");
  assert.equal(choice.finish_reason, "stop");
  assert.equal(value.model, "echo");
  assert.ok(read.output && read.usage!.promptTokens > 0 && read.usage!.completionTokens === 5);
  const stream = played({ model: "echo" });
  assert.equal(stream.written, "one two three four");
  assert.deepEqual(
    stream.chunks.map(({ output, finish, usageOnly }) => [output, finish, usageOnly]),
    [
      [false, false, false],
      ...Array.from({ length: 4 }, () => [true, false, false]),
      [false, true, false],
      [false, false, true],
    ],
  );
  assert.deepEqual(stream.chunks.at(-1)!.usage, read.usage);
  assert.deepEqual(stream.pieces.at(-1), { kind: "done" });
  assert.deepEqual(played({ model: "echo" }), stream, "the same again");
});

test("an echo of nothing still says something", () => {
  assert.ok(whole({ model: "echo", body: { messages: [] } }).read.output);
  assert.ok(played({ model: "echo", body: { messages: [] } }).chunks.some(({ output }) => output));
});

test("slow waits 3 s before its first word, not before its head", () => {
  assert.deepEqual(played({ model: "slow" }).waits.slice(0, 3), [0, 3_000, 20]);
  const [piece] = whole({ model: "slow" }).waits;
  assert.ok(piece && !("cut" in piece) && piece.waitMs === 3_000);
});

test("failing is a 503 that another member may do better", () => {
  for (const stream of [false, true]) {
    const { answer } = ask({ model: "failing", stream });
    assert.equal(answer.status, 503);
    const failure = sandbox.failure(503, {}, textOf(answer), 0);
    assert.deepEqual([failure.kind, failure.error.code], ["upstream_error", "sandbox_failing"]);
  }
});

test("cut gets a few words out and no finish; whole, nothing at all", () => {
  const stream = played({ model: "cut" });
  assert.equal(stream.written, "one two three ");
  assert.ok(stream.cut && stream.chunks.some(({ output }) => output));
  assert.ok(!stream.chunks.some(({ finish }) => finish));
  assert.ok(played({ model: "cut", body: { messages: [{ role: "user", content: "x" }] } }).cut);
  assert.deepEqual(ask({ model: "cut" }).answer.pieces, [{ waitMs: 0, cut: true }]);
});

const tools = [
  {
    type: "function",
    function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];

test("tools calls the first tool, and then says what came of it", () => {
  const { choice, read } = whole({ model: "tools", body: { tools } });
  assert.deepEqual([choice.finish_reason, choice.message.content, read.output], ["tool_calls", null, true]);
  assert.deepEqual(choice.message.tool_calls, [
    {
      id: "call_sandbox_0",
      type: "function",
      function: { name: "weather", arguments: '{"city":"example"}' },
    },
  ]);
  const stream = played({ model: "tools", body: { tools } });
  assert.deepEqual(stream.calls, [{ index: 0, ...choice.message.tool_calls[0] }]);
  assert.ok(stream.chunks.some(({ finish }) => finish));
  const messages = [
    { role: "user", content: "?" },
    choice.message,
    { role: "tool", tool_call_id: "call_sandbox_0", content: "22 °C" },
  ];
  assert.equal(whole({ model: "tools", body: { tools, messages } }).choice.message.content, "22 °C");
  assert.equal(played({ model: "tools", body: { tools, messages } }).written, "22 °C");
  assert.equal(whole({ model: "tools" }).choice.message.content, "one two three four");
});

test("a model that it does not have is reported by its name", () => {
  const { answer } = ask({ model: "gpt-4o" });
  const failure = sandbox.failure(answer.status, {}, textOf(answer), 0);
  assert.equal(failure.kind, "model_not_found");
  for (const model of sandboxModels) assert.match(failure.error.message, new RegExp(model));
});

function embed(body: object) {
  const request = { text: JSON.stringify(body), body: body as Record<string, unknown>, model: "echo" };
  const prepared = sandbox.embeddings(request, {});
  assert.ok(prepared.kind === "simulated");
  const read = sandbox.embeddingsAnswer(textOf(prepared.answer), request);
  assert.ok(read.kind === "answer" && read.output && read.usage!.promptTokens > 0);
  return JSON.parse(read.text).data as { index: number; embedding: number[] | string }[];
}

test("embeddings are small, the same each time, and come in the form asked for", () => {
  const [one, other] = embed({ input: ["a", "b"] });
  assert.deepEqual([one!.index, other!.index, one!.embedding.length], [0, 1, 8]);
  assert.notDeepEqual(one!.embedding, other!.embedding);
  assert.deepEqual(embed({ input: "a" })[0]!.embedding, one!.embedding);
  assert.equal(embed({ input: "a", dimensions: 3 })[0]!.embedding.length, 3);
  assert.equal(embed({ input: "a", dimensions: 10 ** 9 })[0]!.embedding.length, 8);
  assert.equal(embed({ input: [1, 2, 3] }).length, 1, "one list of tokens is one input");
  assert.equal(embed({ input: [[1], [2]] }).length, 2);
  const text = embed({ input: "a", encoding_format: "base64" })[0]!.embedding as string;
  const bytes = Buffer.from(text, "base64");
  const floats = Array.from({ length: 8 }, (_, at) => bytes.readFloatLE(at * 4));
  assert.deepEqual(floats, [...new Float32Array(one!.embedding as number[])]);
});

test("there is no vendor to check, nothing to configure and no URL", () => {
  assert.equal(sandbox.check({}), null);
  assert.deepEqual(sandbox.urls({}), []);
  assert.ok(sandbox.embeds);
  assert.ok(sandbox.settings.safeParse({}).success && !sandbox.settings.safeParse({ api_key: "x" }).success);
});

test("a limit of tokens ends what is said, and the newer name of it goes first", () => {
  for (const body of [{ max_tokens: 2 }, { max_completion_tokens: 2, max_tokens: 100 }]) {
    const { choice, value } = whole({ model: "echo", body });
    assert.deepEqual([choice.message.content, choice.finish_reason], ["one two ", "length"]);
    assert.equal(value.usage.completion_tokens, 2);
    const stream = played({ model: "echo", body });
    assert.equal(stream.written, "one two ");
    assert.equal(
      stream.chunks.filter(({ text }) => JSON.parse(text).choices[0]?.finish_reason === "length").length,
      1,
    );
  }
  assert.equal(whole({ model: "echo", body: { max_tokens: 5 } }).choice.finish_reason, "stop");
});

test("several choices: each whole, streamed in turn, each with its own end", () => {
  const { value } = whole({ model: "echo", body: { n: 3 } });
  assert.deepEqual(
    value.choices.map((one: { index: number; message: { content: string } }) => [
      one.index,
      one.message.content,
    ]),
    [0, 1, 2].map((index) => [index, "one two three four"]),
  );
  assert.equal(value.usage.completion_tokens, 15);
  const { chunks, pieces } = played({ model: "echo", body: { n: 2 } });
  const texts = ["", ""];
  const order: number[] = [];
  const ends: number[] = [];
  for (const { text } of chunks)
    for (const { index, delta, finish_reason } of JSON.parse(text).choices) {
      texts[index] += delta.content ?? "";
      if (delta.content) order.push(index);
      if (finish_reason) ends.push(index);
    }
  assert.deepEqual(texts, ["one two three four", "one two three four"]);
  assert.deepEqual(order, [0, 1, 0, 1, 0, 1, 0, 1]);
  assert.deepEqual(ends, [0, 1]);
  assert.deepEqual(pieces.at(-1), { kind: "done" });
  assert.equal(
    whole({ model: "tools", body: { tools, n: 2 } }).value.choices[1].message.tool_calls[0].id,
    "call_sandbox_1",
  );
  for (const n of [0, -1, 1.5, "2", null])
    assert.equal(whole({ model: "echo", body: { n } }).value.choices.length, 1);
});

test("a form of the answer: an object of the words, or an example of the schema", () => {
  const object = { response_format: { type: "json_object" } };
  const replyTo = (body: object) => JSON.parse(whole({ model: "echo", body }).choice.message.content);
  assert.deepEqual(replyTo(object), { echo: "one two three four" });
  assert.deepEqual(JSON.parse(played({ model: "echo", body: object }).written), {
    echo: "one two three four",
  });
  const own = [{ role: "user", content: '{"mine":[1]}' }];
  assert.deepEqual(replyTo({ ...object, messages: own }), { mine: [1] });
  const schema = { type: "object", properties: { city: { type: "string" } } };
  const format = { type: "json_schema", json_schema: { name: "place", schema } };
  assert.deepEqual(replyTo({ response_format: format }), { city: "example" });
  const text = whole({ model: "echo", body: { response_format: { type: "text" } } });
  assert.equal(text.choice.message.content, "one two three four");
});
