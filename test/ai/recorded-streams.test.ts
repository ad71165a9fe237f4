// Every recorded stream of every provider, mistreated: split at every byte, cut after every byte, and mutated. The
// same pieces come out, a truncated answer never looks complete, and there is always an outcome.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { Provider } from "#providers/provider.ts";
import { sandbox } from "#providers/sandbox/sandbox.ts";
import { anthropicSuite } from "../providers/anthropic/anthropic-suite.ts";
import { type ProviderSuite, requestOf } from "../providers/conformance-cases.ts";
import { recordedStream } from "../providers/fixtures.ts";
import { geminiSuite } from "../providers/gemini/gemini-suite.ts";
import { responseEvents, wireOf } from "../providers/openai/over-responses/wire.ts";
import { checkedFailure } from "../providers/openai-shapes.ts";
import { openaiSuite } from "../providers/openai-suite.ts";
import { eventsIn, heard, piecesOf } from "./wire.ts";

interface Recorded {
  name: string;
  provider: Provider;
  wire: Buffer;
  body: Record<string, unknown>;
  model: string;
}

const of = (provider: Provider, suite: ProviderSuite): Recorded[] =>
  suite.streams.map(({ name, wire, body, model }) => ({
    name: `${provider.kind}: ${name}`,
    provider,
    wire: Buffer.from(wire),
    body: body ?? { messages: [] },
    model: model ?? suite.model,
  }));

const recordings: Recorded[] = [
  ...of(openaiCompatible, openaiSuite),
  ...of(anthropic, anthropicSuite),
  ...of(gemini, geminiSuite),
  {
    name: "azure",
    provider: openaiCompatible,
    wire: Buffer.from(recordedStream("openai", "azure-prompt-filter-results.sse")),
    body: { messages: [] },
    model: "m",
  },
];

const overResponses = openaiCompatible.toolsApi(
  openaiCompatible.settings.parse({ base_url: "http://peer.test/v1", responses: true }),
)!;
recordings.push({
  name: "chat completions over the Responses API",
  provider: { ...openaiCompatible, ...overResponses },
  wire: Buffer.from(wireOf(responseEvents)),
  body: { messages: [] },
  model: "m",
});

for (const model of ["echo", "tools", "cut"]) {
  const body = { messages: [{ role: "user", content: "one two three" }] };
  const prepared = sandbox.chat(requestOf(body, model, true), {});
  assert.ok(prepared.kind === "simulated");
  const wire = prepared.answer.pieces.map((piece) => ("cut" in piece ? "" : piece.text)).join("");
  recordings.push({ name: `sandbox: ${model}`, provider: sandbox, wire: Buffer.from(wire), body, model });
}

test("there are at least fifty", () => {
  assert.ok(recordings.length >= 50, String(recordings.length));
});

describe("split at every byte: the same pieces", () => {
  for (const { name, provider, wire, body, model } of recordings) {
    test(name, () => {
      const events = eventsIn([wire]);
      assert.ok(events);
      for (let at = 0; at <= wire.length; at++)
        assert.deepEqual(eventsIn([wire.subarray(0, at), wire.subarray(at)]), events, `at ${at}`);
      const single = eventsIn([...wire].map((byte) => Buffer.of(byte)));
      assert.deepEqual(
        piecesOf(provider, body, model, single ?? []),
        piecesOf(provider, body, model, events),
      );
    });
  }
});

const finishesOf = (texts: readonly string[]) =>
  new Map(
    texts
      .flatMap(
        (text) => (JSON.parse(text) as { choices: { index?: number; finish_reason?: unknown }[] }).choices,
      )
      .filter(({ finish_reason: reason }) => typeof reason === "string")
      .map(({ index, finish_reason: reason }) => [index, reason]),
  );
const contentOf = (texts: readonly string[]) =>
  JSON.stringify(
    texts.flatMap((text) =>
      (JSON.parse(text) as { choices: { index: number; delta: object }[] }).choices
        .filter(({ delta }) => Object.values(delta).some((value) => value !== "" && value !== null))
        .map(({ index, delta }) => [index, delta]),
    ),
  );

describe("cut after every byte: it never looks complete", () => {
  for (const { name, provider, wire, body, model } of recordings) {
    test(name, async () => {
      const whole = await heard(provider, body, model, [wire]);
      const texts = whole.chunks.map(({ text }) => text);
      for (let at = 0; at < wire.length; at++) {
        const cut = await heard(provider, body, model, [wire.subarray(0, at)]);
        const got = cut.chunks.map(({ text }) => text);
        assert.deepEqual(got, texts.slice(0, got.length), `at ${at}`);
        if (cut.end !== "done") {
          checkedFailure(cut.end);
          continue;
        }
        // Called complete: nothing that was said is missing, and every choice has its reason.
        assert.equal(whole.end, "done", `at ${at}`);
        assert.equal(contentOf(got), contentOf(texts), `at ${at}`);
        assert.deepEqual(finishesOf(got), finishesOf(texts), `at ${at}`);
        assert.ok(finishesOf(got).size > 0);
      }
    });
  }

  test("a connection that breaks is no end, even behind a finish reason", async () => {
    for (const { provider, wire, body, model } of recordings) {
      const broken = { why: "cut", reason: "reset" } as const;
      const half = wire.subarray(0, wire.length / 2);
      const { end } = await heard(provider, body, model, [half], broken);
      if (end !== "done") checkedFailure(end);
      else
        assert.deepEqual(
          await heard(provider, body, model, [wire]),
          await heard(provider, body, model, [half], broken),
        );
    }
  });
});

/** A generator of numbers that is the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("10,000 mutated streams: nothing is thrown, and all of them end", async () => {
  const below = numbers(20_261_121);
  const odd = [
    "\0",
    "\n\n",
    "\r",
    '"',
    "{",
    "}",
    "[DONE]",
    "data: ",
    "null",
    "\\ud800",
    "\uFEFF",
    "1e999",
    "event: error\n",
    '"choices":{}',
    ":".repeat(200),
  ].map((text) => Buffer.from(text));
  for (let run = 0; run < 10_000; run++) {
    const { provider, wire, body, model } = recordings[below(recordings.length)]!;
    let bytes = Buffer.from(wire);
    for (let times = 1 + below(4); times > 0; times--) {
      const at = below(bytes.length + 1);
      const to = Math.min(bytes.length, at + below(30));
      const way = below(5);
      if (way === 0 && at < bytes.length) bytes[at] = below(256);
      else if (way === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
      else if (way === 2)
        bytes = Buffer.concat([bytes.subarray(0, at), odd[below(odd.length)]!, bytes.subarray(at)]);
      else if (way === 3) bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
      else bytes = bytes.subarray(0, at);
    }
    const cut = below(bytes.length + 1);
    const { chunks, end } = await heard(provider, body, model, [bytes.subarray(0, cut), bytes.subarray(cut)]);
    assert.ok(chunks.reduce((sum, { text }) => sum + text.length, 0) <= 20 * bytes.length + 2000);
    for (const { text } of chunks) JSON.parse(text);
    if (end === "done") assert.ok(chunks.some(({ finish }) => finish));
    else checkedFailure(end);
  }
});
