// A model that reasons says nothing for minutes. What shows that it is at work, how long it may take, and what is silence.

import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamStream } from "#ai/failover/upstream-stream.ts";
import type { MemberTimeouts } from "#contract/manage/pools/members.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { forwardedStream } from "#providers/anthropic/native.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { responsesStream } from "#providers/openai/responses.ts";
import type { StreamReader } from "#providers/provider.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { incoming, timeouts } from "../wire.ts";

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

/** One API as a member answers in it. */
interface Api {
  reader: () => StreamReader;
  /** What comes with the headers. */
  begin: string;
  /** Thoughts begin, of which nothing is sent. */
  thoughts: string;
  thoughtsEnd: string;
  keepAlive: string;
  output: string;
}

const messages = {
  begin: event({ type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 0 } } }),
  thoughts: event({
    type: "content_block_start",
    index: 0,
    content_block: { type: "thinking", thinking: "", signature: "" },
  }),
  thoughtsEnd: event({ type: "content_block_stop", index: 0 }),
  keepAlive: event({ type: "ping" }),
  output:
    event({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }) +
    event({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hi" } }),
};

const apis: Record<string, Api> = {
  "Messages, forwarded": { ...messages, reader: forwardedStream },
  "Messages, translated": {
    ...messages,
    reader: () => anthropic.stream(requestOf({ messages: [] }, "m", true)),
  },
  Responses: {
    reader: responsesStream,
    begin: event({ type: "response.created", response: {} }),
    thoughts: event({
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "reasoning", summary: [] },
    }),
    thoughtsEnd: event({
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "reasoning", summary: [], encrypted_content: "x" },
    }),
    keepAlive: event({ type: "keepalive" }),
    output: event({ type: "response.output_text.delta", delta: "Hi" }),
  },
};

const chat: Api = {
  reader: () => openaiCompatible.stream(requestOf({ messages: [] }, "m", true)),
  begin: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n',
  thoughts: "",
  thoughtsEnd: "",
  keepAlive: ": PROCESSING\n\n",
  output: 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
};

/** A stream whose pieces come at these times, ms; after the last one it is silent. */
function streamOf(
  { reader }: Api,
  pieces: readonly [number, string][],
  own: Partial<MemberTimeouts> = {},
  limitAt = 1e9,
) {
  const clock = movableClock();
  const left = [...pieces];
  const body = {
    ...incoming([]).body,
    read: async (patienceMs: number) => {
      const [at, text] = left[0] ?? [Number.POSITIVE_INFINITY, ""];
      const waitMs = Math.max(0, at - clock.monotonic());
      await clock.advance(Math.min(waitMs, patienceMs));
      if (waitMs > patienceMs) return { why: "timeout" as const, reason: "nothing came" };
      left.shift();
      return Buffer.from(text);
    },
  };
  return { clock, stream: new UpstreamStream(clock, body, reader(), { ...timeouts, ...own }, limitAt) };
}

const every = (ms: number, from: number, to: number, text: string) =>
  Array.from({ length: Math.floor((to - from) / ms) }, (_, at): [number, string] => [from + at * ms, text]);

for (const [name, api] of Object.entries(apis)) {
  test(`${name}: open thoughts are neither output nor silence for ten minutes`, async () => {
    const { clock, stream } = streamOf(api, [
      [0, api.begin],
      [1_000, api.thoughts],
      [500_000, api.thoughtsEnd],
      [520_000, api.output],
    ]);
    assert.equal(await stream.firstToken(0), null);
    assert.equal(clock.monotonic(), 520_000);
  });

  test(`${name}: thoughts that outlast thinking_ms go to the next member, and are no silence`, async () => {
    const own = { thinking_ms: 200_000 };
    const { clock, stream } = streamOf(
      api,
      [
        [0, api.begin],
        [1_000, api.thoughts],
      ],
      own,
    );
    const fault = await stream.firstToken(0);
    assert.deepEqual([fault?.timeout, fault?.overtime, fault?.failure.status], [true, true, 504]);
    assert.equal(clock.monotonic(), 200_000);
  });

  test(`${name}: thoughts after output may be silent, and idle_ms holds when they end`, async () => {
    const { clock, stream } = streamOf(api, [
      [0, api.begin + api.output],
      [1_000, api.thoughts],
      [400_000, api.thoughtsEnd + api.output],
    ]);
    assert.equal(await stream.firstToken(0), null);
    for (;;) {
      const read = await stream.next();
      if (read.kind === "chunks") continue;
      assert.ok(read.kind === "failed" && read.timeout && !read.overtime);
      break;
    }
    assert.equal(clock.monotonic(), 430_000);
  });

  test(`${name}: a connection that closes while thoughts are open is broken`, async () => {
    const { body } = incoming([Buffer.from(api.begin + api.thoughts)]);
    const fault = await new UpstreamStream(movableClock(), body, api.reader(), timeouts, 1e9).firstToken(0);
    assert.deepEqual([fault?.timeout, fault?.overtime], [false, false]);
  });
}

for (const [name, api] of Object.entries({ ...apis, "Chat completions": chat })) {
  test(`${name}: keep-alives hold a stream without output up to thinking_ms`, async () => {
    const pings = every(15_000, 0, 450_000, api.keepAlive);
    const { clock, stream } = streamOf(api, [[0, api.begin], ...pings, [450_000, api.output]]);
    assert.equal(await stream.firstToken(0), null);
    assert.equal(clock.monotonic(), 450_000);

    const endless = streamOf(api, [[0, api.begin], ...every(15_000, 0, 900_000, api.keepAlive)]);
    const fault = await endless.stream.firstToken(0);
    assert.deepEqual([fault?.timeout, fault?.overtime], [true, true]);
    assert.equal(endless.clock.monotonic(), 600_000);
  });

  test(`${name}: silence without a sign is the member's, after first_token_ms`, async () => {
    const { clock, stream } = streamOf(api, [[0, api.begin]]);
    const fault = await stream.firstToken(0);
    assert.deepEqual([fault?.timeout, fault?.overtime], [true, false]);
    assert.equal(clock.monotonic(), 120_000);
    assert.equal(stream.isAtWork, false);
  });

  test(`${name}: silence behind the last keep-alive is the member's too`, async () => {
    const { clock, stream } = streamOf(api, [
      [0, api.begin],
      [90_000, api.keepAlive],
    ]);
    const fault = await stream.firstToken(0);
    assert.deepEqual([fault?.timeout, fault?.overtime], [true, false]);
    assert.equal(clock.monotonic(), 210_000);
  });
}
