// Calls of servers that number them otherwise than OpenAI, or send objects as arguments.

import assert from "node:assert/strict";
import test from "node:test";
import { openaiAnswer } from "#providers/openai/answer.ts";
import { openaiStream } from "#providers/openai/stream.ts";
import { fold } from "#providers/translate/fold.ts";
import { requestOf } from "../conformance-cases.ts";

interface Piece {
  index?: number;
  id?: string;
  function: { name?: string; arguments?: unknown };
}

const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: unknown,
) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: "function" }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});

/** The texts of the chunks as they are passed on. `chunks`: the calls of each. */
function passedOn(chunks: readonly (readonly Piece[])[], choice = 0) {
  const reader = openaiStream(requestOf({ messages: [] }, "m", true));
  const sent = chunks.map((calls) =>
    JSON.stringify({ choices: [{ index: choice, delta: { tool_calls: calls }, finish_reason: null }] }),
  );
  const read = sent.flatMap((data) => reader.push({ event: null, data }));
  return { sent, chunks: read.filter((one) => one.kind === "chunk") };
}

/** The calls as a client puts them together: by their index. */
function callsOf(chunks: readonly (readonly Piece[])[]) {
  const { choices } = JSON.parse(fold(passedOn(chunks).chunks).text);
  return choices[0].message.tool_calls.map(({ function: called }: Piece) => [called.name, called.arguments]);
}

const paris = '{"city":"Paris"}';
const rome = '{"city":"Rome"}';
const two = [
  ["weather", paris],
  ["time", rome],
];

const cases: Record<string, [pieces: (readonly Piece[])[], calls: unknown]> = {
  "numbered 0 in chunks of their own": [
    [[piece(0, "a", "weather", paris)], [piece(0, "b", "time", rome)]],
    two,
  ],
  "numbered 0 in one chunk": [[[piece(0, "a", "weather", paris), piece(0, "b", "time", rome)]], two],
  "not numbered": [[[piece(undefined, "a", "weather", paris)], [piece(undefined, "b", "time", rome)]], two],
  "neither numbered nor named by an id": [
    [[piece(undefined, undefined, "weather", paris)], [piece(undefined, undefined, "time", rome)]],
    two,
  ],
  "not numbered, in one chunk, the first without arguments": [
    [[piece(undefined, undefined, "weather", ""), piece(undefined, undefined, "time", rome)]],
    [
      ["weather", ""],
      ["time", rome],
    ],
  ],
  "numbered 0, with arguments in pieces": [
    [
      [piece(0, "a", "weather", "")],
      [piece(0, undefined, undefined, '{"city":')],
      [piece(0, undefined, undefined, '"Paris"}')],
      [piece(0, "b", "time", "")],
      [piece(0, undefined, undefined, rome)],
    ],
    two,
  ],
  "the same tool twice, numbered 0": [
    [[piece(0, "a", "weather", paris)], [piece(0, "b", "weather", rome)]],
    [
      ["weather", paris],
      ["weather", rome],
    ],
  ],
  "the same tool twice without ids": [
    [[piece(0, undefined, "weather", paris)], [piece(0, undefined, "weather", rome)]],
    [
      ["weather", paris],
      ["weather", rome],
    ],
  ],
  "id and name repeated in each piece": [
    [
      [piece(0, "a", "weather", '{"city":')],
      [piece(0, "a", "weather", '"Par')],
      [piece(0, "a", "weather", 'is"}')],
    ],
    [["weather", paris]],
  ],
  "the name repeated at the end": [
    [[piece(0, undefined, "weather", paris)], [piece(0, undefined, "weather", "")]],
    [["weather", paris]],
  ],
  "another id in each piece": [
    [[piece(0, "a", "weather", '{"city":')], [piece(0, "b", undefined, '"Paris"}')]],
    [["weather", paris]],
  ],
  "brackets and quotes within strings end nothing": [
    [[piece(0, undefined, "weather", '{"city":"}\\"]}')], [piece(0, undefined, "weather", '"}')]],
    [["weather", '{"city":"}\\"]}"}']],
  ],
  "objects as arguments": [
    [[piece(0, "a", "weather", { city: "Paris" })], [piece(1, "b", "time", { city: "Rome" })]],
    two,
  ],
  "objects as arguments, numbered 0": [
    [[piece(0, "a", "weather", { city: "Paris" })], [piece(0, "b", "time", { city: "Rome" })]],
    two,
  ],
};
for (const [name, [pieces, calls]] of Object.entries(cases))
  test(`calls of a stream: ${name}`, () => assert.deepEqual(callsOf(pieces), calls));

test("calls as OpenAI writes them are passed on byte by byte, also interleaved", () => {
  const { sent, chunks } = passedOn([
    [piece(0, "a", "weather", "")],
    [piece(1, "b", "time", "")],
    [piece(0, undefined, undefined, paris)],
    [piece(1, undefined, undefined, rome)],
    [piece(3, "d", "weather", paris), piece(2, "c", "time", rome)],
  ]);
  assert.deepEqual(
    chunks.map(({ text }) => text),
    sent,
  );
});

test("arguments that are an object keep the spelling of their numbers, and count as output", () => {
  const data =
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":{"id":12345678901234567890}}}]}}]}';
  const [chunk] = openaiStream(requestOf({ messages: [] }, "m", true)).push({ event: null, data });
  assert.ok(chunk?.kind === "chunk");
  const [call] = JSON.parse(chunk.text).choices[0].delta.tool_calls;
  assert.deepEqual([call.function.arguments, chunk.units], ['{"id":12345678901234567890}', 28]);
});

test("a whole answer has text as arguments, and nothing else is changed", () => {
  const answer = (args: unknown) => ({
    id: "x",
    choices: [
      {
        index: 0,
        message: { content: null, tool_calls: [{ id: "a", function: { name: "f", arguments: args } }] },
      },
    ],
  });
  const read = openaiAnswer(JSON.stringify(answer({ city: "Paris" })));
  assert.deepEqual(read.kind === "answer" && JSON.parse(read.text), answer(paris));
  const right = JSON.stringify(answer(paris), null, 1);
  const passed = openaiAnswer(right);
  assert.equal(passed.kind === "answer" && passed.text, right);
});

test("choices have numbers of their own", () => {
  const reader = openaiStream(requestOf({ messages: [], n: 2 }, "m", true));
  const numbers = [0, 1, 0].map((index, at) => {
    const delta = { tool_calls: [piece(0, `id${at}`, "weather", paris)] };
    const [chunk] = reader.push({ event: null, data: JSON.stringify({ choices: [{ index, delta }] }) });
    return chunk?.kind === "chunk" && JSON.parse(chunk.text).choices[0].delta.tool_calls[0].index;
  });
  assert.deepEqual(numbers, [0, 0, 1]);
});
