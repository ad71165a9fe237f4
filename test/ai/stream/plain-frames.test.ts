// Frames that are passed on unparsed, against the same streams with each frame parsed: the client's bytes, the counted units and the end
// are the same for all that a member may send and for every cut, also where the stream is translated for another API.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { StreamWriter } from "#ai/apis/api-request.ts";
import { ContentWriter, framingOf } from "#ai/apis/gemini/stream.ts";
import { MessageWriter } from "#ai/apis/messages/stream.ts";
import { ResponseWriter, Sequence } from "#ai/apis/responses/stream.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { type StreamEvent, UpstreamStream } from "#ai/failover/upstream-stream.ts";
import { EventReader } from "#ai/stream/event-reader.ts";

import { chunksOf } from "#ai/stream/plain-frames.ts";
import { SseWriter } from "#ai/stream/sse-writer.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { Chunk } from "#providers/provider.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { incoming, timeouts } from "../wire.ts";

const served = { provider: "one", model: "gpt", latency_ms: 1, attempts: 1 };

const rules = {
  model: "gpt",
  stem: "s",
  created: 7,
  names: new ToolNames(),
  body: {},
  thoughts: true,
  served,
};
/** The writers of other APIs. */
const translators: Readonly<Record<string, () => StreamWriter>> = {
  messages: () => new MessageWriter({ ...rules, thinking: true, signed: false, promptTokens: 1 }),
  "signed messages": () => new MessageWriter({ ...rules, thinking: true, signed: true, promptTokens: 1 }),
  responses: () => new ResponseWriter(rules, new Sequence(), served),
  gemini: () => new ContentWriter(rules, framingOf(true), served),
};

const translated = (writer: StreamWriter, chunks: readonly Chunk[]): string =>
  chunks.map((chunk) => (chunk.run ? writer.run!(chunk.run) : writer.chunk(chunk))).join("") + writer.done();

/** What the client of a stream receives, what is counted, and how many frames were not parsed. */
async function relayed(reads: readonly Buffer[], model: string, takesRuns: boolean) {
  const writer = new SseWriter({ model, includeUsage: true, created: 1_763_640_000, served });
  const reader = openaiCompatible.stream(requestOf({ messages: [] }, "gpt", true));
  const events = new EventReader();
  const { body } = incoming(reads);
  const stream = new UpstreamStream(movableClock(), body, reader, timeouts, 600_000, events, takesRuns);
  let sent = "";
  let units = 0;
  let unparsed = 0;
  const chunks: Chunk[] = [];
  const received: Chunk[] = [];
  for (;;) {
    const event: StreamEvent = await stream.next();
    if (event.kind !== "chunks") {
      sent += event.kind === "done" ? writer.done() : writer.failed(event.failure.error);
      if (unparsed > 0)
        for (const [api, make] of Object.entries(translators))
          assert.equal(translated(make(), received), translated(make(), chunks), api);
      return { sent, units, unparsed, chunks, usage: writer.usage, end: event };
    }
    for (const chunk of event.chunks) {
      sent += chunk.run ? writer.run(chunk.run) : writer.chunk(chunk);
      units += chunk.units;
      chunks.push(...(chunk.run ? chunksOf(chunk.run) : [chunk]));
      received.push(chunk);
      unparsed += chunk.run?.texts.length ?? 0;
    }
  }
}

const head = { id: "c1", object: "chat.completion.chunk", created: 1_763_640_001, model: "gpt" };
const choice = (delta: object, more: object = {}) => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const stop = frame(choice({}, { finish_reason: "stop" }));
const done = "data: [DONE]\n\n";

/** Texts that look like the ends of frames, or that JSON spells in several ways. */
const texts = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", " word", " Grüße", "日本", "😀", " a longer piece of text") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...'\n \\ " \t \\n \\" \u0000 \u0001 \u007f \u2028 \ufeff \ud83d \r \r\n'.split(" "),
      "",
      " ",
      "data: ",
      "\n\n",
      "\n\ndata: ",
      '","finish_reason":null}]}',
      '","finish_reason":null}]}\n\n',
      '"},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
      '{"error":{}}',
      '"usage"',
      "x".repeat(700),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);

/** Frames that must be parsed, or that are no frames at all. */
const others = fc.constantFrom(
  ": ping\n\n",
  `\ufeff${frame(choice({ content: "a" }))}`,
  "\n",
  "\n\n\n",
  "event: message\n",
  "id: 7\n\n",
  "data: \n\n",
  frame(choice({ role: "assistant", content: "" })),
  frame(choice({ role: "assistant", content: "hi" })),
  frame(choice({ content: "a", reasoning_content: null })),
  frame(choice({ reasoning_content: "because" })),
  frame(choice({ content: "a", reasoning: "twice", reasoning_content: "twice" })),
  frame(choice({ tool_calls: [{ index: 0, id: "t", function: { name: "f", arguments: "{" } }] })),
  frame(choice({ content: "a", tool_calls: [{ id: "t", function: { name: "g", arguments: {} } }] })),
  frame(choice({ content: "a" }, { index: 1 })),
  frame(choice({ content: "a" }, { logprobs: { content: [] } })),
  frame(choice({ content: "a" }, { finish_reason: "length" })),
  frame({ ...choice({ content: "a" }), usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
  frame({ ...choice({ content: "a" }), created: 0 }),
  frame({ ...choice({ content: "a" }), model: "other" }),
  frame({ ...head, choices: [] }),
  frame({ ...head, choices: [...choice({ content: "a" }).choices, ...choice({ content: "b" }).choices] }),
  frame({ ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
  frame({ choices: choice({ content: "no model" }).choices }),
  `data: ${JSON.stringify(choice({ content: "over lines" }), null, 1).replaceAll("\n", "\ndata: ")}\n\n`,
  `data: ${JSON.stringify(choice({ content: "a" })).replace(',"model"', ',\r"model"')}\n\n`,
  `data: ${JSON.stringify(choice({ content: "a" })).replace(',"model"', ',\n"model"')}\n\n`,
  frame(choice({ content: "a" })).replace('"content":"a"', '"content":"a","content":"b"'),
  frame(choice({ content: "a" })).replace('"a"', "7"),
  frame(choice({ content: "a" })).replace('"model"', '"mod\\u0065l"'),
  frame(choice({ content: "a" })).slice(0, -2),
  frame(choice({ content: "a" })).slice(0, 40),
  'data: {"choices":[{"index":0,"delta":{"content":"}\n\n',
);
const faults = fc.constantFrom(
  done,
  frame({ error: { message: "no", type: "server_error" } }),
  `event: error\n${frame(choice({ content: "a" }))}`,
  frame(choice({}, { finish_reason: "error" })),
  frame(choice({ content: "a" }, { error: { message: "no" } })),
);

/** A frame of the usual form, in one of the spellings of JSON. */
const ordinary = fc.record({
  text: texts,
  spelling: fc.oneof(
    { weight: 8, arbitrary: fc.constant("plain") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("escaped", "spaced", "crlf", "no blank", "named", "wrong"),
    },
  ),
});
const spelled = ({ text, spelling }: { text: string; spelling: string }, isPadded: boolean): Buffer => {
  const padding = isPadded ? { usage: null, obfuscation: text.slice(1) } : {};
  const json = JSON.stringify({ ...choice({ content: text }), ...padding });
  if (spelling === "wrong")
    return Buffer.from(`data: ${json.replace('"content":"', '"content":"\u00ff')}\n\n`, "latin1");
  if (spelling === "escaped")
    return Buffer.from(
      `data: ${json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n\n`,
    );
  if (spelling === "spaced") return Buffer.from(`data: ${json.replace(/("[a-z_]+":)/g, "$1 ")}\n\n`);
  const end = spelling === "crlf" ? "\r\n\r\n" : "\n\n";
  return Buffer.from(
    `${spelling === "named" ? "event: message\n" : ""}data:${spelling === "no blank" ? "" : " "}${json}${end}`,
  );
};

const frames = fc.array(
  fc.oneof(
    {
      weight: 24,
      arbitrary: fc
        .tuple(fc.array(ordinary, { minLength: 1, maxLength: 8 }), fc.nat({ max: 3 }))
        .map(([list, kind]) => list.map((one) => spelled(one, kind === 0))),
    },
    {
      weight: 10,
      arbitrary: fc.tuple(others, texts, fc.nat({ max: 3 })).map(([text, again, times]) => [
        Buffer.from(text),
        // The same with other content.
        ...Array.from({ length: times }, () => Buffer.from(text.replace('"a"', () => JSON.stringify(again)))),
      ]),
    },
    { weight: 1, arbitrary: faults.map((text) => [Buffer.from(text)]) },
  ),
  { maxLength: 8 },
);
/** Whole, cut anywhere, or a read for each frame. */
const cuts = fc.oneof(
  fc.constant("whole"),
  fc.constant("frames"),
  fc.array(fc.nat({ max: 4000 }), { maxLength: 12 }),
);

function cut(list: readonly Buffer[], how: string | number[]): Buffer[] {
  if (how === "frames") return [...list];
  const wire = Buffer.concat(list);
  const reads: Buffer[] = [];
  let from = 0;
  for (const length of typeof how === "string" ? [] : how) {
    if (from + length >= wire.length) break;
    reads.push(wire.subarray(from, from + length));
    from += length;
  }
  return [...reads, wire.subarray(from)];
}

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const word = frame(choice({ content: "word" }));
/** Frames of one form, some of them in the same read as the first. */
const both = (text: (content: string) => string) => [text("one"), text("two") + text("three"), text("four")];
const padded = (content: string, obfuscation = content.slice(1)) =>
  frame({ ...choice({ content }), usage: null, obfuscation });
/** A member of the top level is behind the choices. */
const moved = (content: string, key: keyof typeof head) => {
  const { [key]: value, ...rest } = choice({ content });
  return frame({ ...rest, [key]: value, obfuscation: content });
};
const directed: [name: string, reads: string[], unparsed: number][] = [
  ["words", both((content) => frame(choice({ content }))), 3],
  ["words in one read", [word + word + word + stop + done], 2],
  ["words cut inside", [word + word.slice(0, 50), word.slice(50) + word, word], 2],
  ["words between comments", [word, `: a\n\n${word}: b\n\n${word}`, `: c\n\n`, word], 2],
  ["another form for each", [word, frame({ ...choice({ content: "a" }), id: "c2" }), word + word], 1],
  ["a finish of each", both((content) => frame(choice({ content }, { finish_reason: "stop" }))), 0],
  [
    "a usage of each",
    [1, 2, 1].flatMap((prompt_tokens) =>
      both((content) => frame({ ...choice({ content }), usage: { ...usage, prompt_tokens } })),
    ),
    0,
  ],
  ["an error in each", both((content) => frame({ ...choice({ content }), error: "no" })), 0],
  ["no text", both(() => frame(choice({ content: "" }))), 0],
  ["a line end of each kind", both((content) => frame(choice({ content })).replace("\n", "\r\n")), 0],
  ["a named event", both((content) => `event: error\n${frame(choice({ content }))}`), 0],
  ["a mark after whole frames", [word + word + word + `\ufeff${word}`.slice(0, 9), `${word}${word}`], 3],
  [
    "more comments than an event may have lines",
    [word, ...Array.from({ length: 9_000 }, (_, at) => (at % 3_000 === 0 ? word : ": a\n\n"))],
    3,
  ],
  ["padding", both((content) => padded(content)), 3],
  ["padding with a quote", both((content) => padded(content, `"${content}`)), 3],
  ["padding of several words", [padded("a") + padded("b") + word + padded("c") + padded("d")], 2],
  ["a model before the padding", both((content) => moved(content, "model")), 0],
  ["padding inside a choice", both((content) => frame(choice({ content }, { obfuscation: content }))), 0],
  ["padding alone", both((content) => frame({ ...choice({}), obfuscation: content })), 0],
  ["[DONE] before the words", [word + done + word + word], 0],
];
for (const [name, texts, unparsed] of directed) {
  test(`the same with each frame parsed: ${name}`, async () => {
    const reads = [...texts, stop + done].map((text) => Buffer.from(text));
    for (const model of ["gpt", "pool"]) {
      const plain = await relayed(reads, model, true);
      assert.deepEqual({ ...plain, unparsed: 0 }, await relayed(reads, model, false));
      assert.equal(plain.unparsed, unparsed);
    }
  });
}

test("4,000 hostile streams are the same with each frame parsed", async () => {
  let unparsed = 0;
  const property = fc.asyncProperty(
    frames,
    fc.constantFrom("", stop, stop + done, done),
    fc.constantFrom("", "\ufeff"),
    cuts,
    fc.constantFrom("gpt", "pool"),
    async (list, end, mark, how, model) => {
      const reads = cut([Buffer.from(mark), ...list.flat(), Buffer.from(end)], how);
      const plain = await relayed(reads, model, true);
      const parsed = await relayed(reads, model, false);
      unparsed += plain.unparsed;
      assert.deepEqual({ ...plain, unparsed: 0 }, parsed);
    },
  );
  await fc.assert(property, { numRuns: 4000 });
  assert.ok(unparsed > 10_000, `Only ${unparsed} frames were not parsed.`);
});
