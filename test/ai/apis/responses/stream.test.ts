// Streams of the Responses API: made from chunks of any size, their deltas add up to the items at their end.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ForwardedResponseWriter, ResponseWriter, Sequence } from "#ai/apis/responses/stream.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { openaiStream } from "#providers/openai/stream.ts";
import type { Chunk } from "#providers/provider.ts";
import { requestOf } from "../../../providers/conformance-cases.ts";
import { eventsOf } from "../../../providers/sse.ts";

const served = { provider: "primary", model: "m", latency_ms: 1, attempts: 1, cost: 0.5 };
const rules = () => ({ model: "asked", created: 7, stem: "1", names: new ToolNames(), body: {} });

/** What a writer makes of these deltas of a chat completion. */
function written(deltas: readonly object[], finish: string | null = "stop"): string {
  const writer = new ResponseWriter(rules(), new Sequence(), served);
  const reader = openaiStream(requestOf({ messages: [] }, "m", true));
  const frames = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: finish }];
  let text = "";
  for (const choice of frames) {
    const data = JSON.stringify({ choices: [{ index: 0, finish_reason: null, ...choice }] });
    for (const piece of reader.push({ event: null, data }))
      if (piece.kind === "chunk") text += writer.chunk(piece);
  }
  return text + writer.done();
}

interface Event {
  type: string;
  sequence_number: number;
  output_index?: number;
  delta?: string;
  item?: { type: string; content?: { text: string }[]; arguments?: string };
  response?: { status: string; output: { type: string }[] };
}

function read(text: string): Event[] {
  return eventsOf(text).map(({ event, data }) => {
    const value = JSON.parse(data) as Event;
    assert.equal(value.type, event);
    return value;
  });
}

test("numbered events in order; text and arguments add up, however they are cut", () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(pieces, pieces, (words, parts) => {
      const call = (text: string, first: boolean) => ({
        tool_calls: [
          {
            index: 0,
            ...(first ? { id: "call_1" } : {}),
            function: { ...(first ? { name: "f" } : {}), arguments: text },
          },
        ],
      });
      const deltas = [
        ...words.map((content) => ({ content })),
        ...parts.map((text, at) => call(text, at === 0)),
      ];
      const events = read(written(deltas, "tool_calls"));
      assert.deepEqual(
        events.map(({ sequence_number: at }) => at),
        events.map((_, at) => at),
      );
      assert.equal(events[0]?.type, "response.created");
      const last = events.at(-1)!;
      assert.equal(last.type, "response.completed");
      const added = (type: string) =>
        events.flatMap((event) => (event.type === type ? [event.delta ?? ""] : [])).join("");
      assert.equal(added("response.output_text.delta"), words.join(""));
      assert.equal(added("response.function_call_arguments.delta"), parts.join(""));
      const done = events.flatMap(({ type, item }) =>
        type === "response.output_item.done" && item ? [item] : [],
      );
      assert.deepEqual(done, last.response?.output);
      assert.deepEqual(
        done.map(({ type, content, arguments: callText }) => [type, content?.[0]?.text ?? callText]),
        [
          ["message", words.join("")],
          ["function_call", parts.join("")],
        ],
      );
    }),
  );
});

test("a stream that breaks off ends with `response.failed`, without its vendor's code", () => {
  const writer = new ResponseWriter(rules(), new Sequence(), served);
  const text = writer.failed({
    message: "It broke off.",
    type: "server_error",
    param: null,
    code: "upstream_cut",
  });
  const last = read(text).at(-1) as Event & { response: { error: object } };
  assert.deepEqual([last.type, last.response.status], ["response.failed", "failed"]);
  assert.deepEqual(last.response.error, { code: "server_error", message: "It broke off." });
});

test("before the first event the sign of life is a comment, and a failure begins the response", () => {
  const sequence = new Sequence();
  assert.equal(sequence.keepAlive(), ": keep-alive\n\n");
  const error = { message: "No.", type: "server_error", param: null, code: "no_member" };
  const events = read(new ResponseWriter(rules(), sequence, served).failed(error));
  assert.deepEqual(
    events.map(({ type, sequence_number: number }) => [type, number]),
    [
      ["response.created", 0],
      ["response.failed", 1],
    ],
  );
  assert.match(sequence.keepAlive(), /^event: keepalive\n/);
});

test("the failure of a forwarded stream has the id that its events had", () => {
  const writer = new ForwardedResponseWriter(rules(), new Sequence(), served);
  const created = { type: "response.created", response: { id: "resp_theirs", status: "in_progress" } };
  const chunk = { kind: "chunk", event: created.type, text: JSON.stringify(created) } as Chunk;
  writer.chunk(chunk);
  const [failed] = read(
    writer.failed({ message: "It broke off.", type: "server_error", param: null, code: null }),
  ) as (Event & { response: { id: string } })[];
  assert.deepEqual([failed?.type, failed?.response.id], ["response.failed", "resp_theirs"]);
});

test("the last event says who served and what it cost; of a forwarded stream nothing else is changed", () => {
  const last = read(written([{ content: "Hi" }])).at(-1) as Event & { response: { service_pool: object } };
  assert.deepEqual(last.response.service_pool, served);
  const writer = new ForwardedResponseWriter(rules(), new Sequence(), served);
  const completed = '{"type":"response.completed","response":{"x":1e400, "model":"theirs"}}';
  const chunk = { kind: "chunk", event: "response.completed", text: completed, finish: true } as Chunk;
  assert.equal(new ForwardedResponseWriter(rules(), new Sequence(), served).done(), "");
  assert.equal(writer.chunk(chunk), "");
  const pool = JSON.stringify(served);
  assert.equal(
    writer.done(),
    `event: response.completed\ndata: {"type":"response.completed","response":{"x":1e400, "model":"asked","service_pool":${pool}}}\n\n`,
  );
});

test("what a member says of its own cost is not passed on", () => {
  const writer = new ForwardedResponseWriter(rules(), new Sequence(), served);
  const event = (type: string) => {
    const text = `{"type":"${type}","service_pool":{"cost":9},"response":{"service_pool":{"cost":9},"x":1}}`;
    return { kind: "chunk", event: type, text, finish: type === "response.completed" } as Chunk;
  };
  const shown =
    writer.chunk(event("response.created")) + writer.chunk(event("response.completed")) + writer.done();
  assert.deepEqual(
    read(shown).map(({ type, ...more }) => [type, more]),
    [
      ["response.created", { response: { x: 1, model: "asked" } }],
      ["response.completed", { response: { x: 1, model: "asked", service_pool: served } }],
    ],
  );
});

test("log probabilities come with their text, and all of them at its end", () => {
  const of = (token: string) => ({
    token,
    logprob: -0.5,
    bytes: null,
    top_logprobs: [{ token, logprob: -0.5, bytes: null }],
  });
  const writer = new ResponseWriter(rules(), new Sequence(), served);
  const reader = openaiStream(requestOf({ messages: [] }, "m", true));
  let text = "";
  for (const token of ["Hel", "lo"]) {
    const choice = {
      index: 0,
      delta: { content: token },
      logprobs: { content: [of(token)] },
      finish_reason: null,
    };
    for (const piece of reader.push({ event: null, data: JSON.stringify({ choices: [choice] }) }))
      if (piece.kind === "chunk") text += writer.chunk(piece);
  }
  const events = eventsOf(text + writer.done()).map(({ data }) => JSON.parse(data));
  const at = (type: string) => events.filter((event) => event.type === `response.${type}`);
  assert.deepEqual(
    at("output_text.delta").map(({ logprobs }) => logprobs),
    [[of("Hel")], [of("lo")]],
  );
  const all = [of("Hel"), of("lo")];
  assert.deepEqual(at("output_text.done")[0].logprobs, all);
  assert.deepEqual(at("content_part.done")[0].part.logprobs, all);
  assert.deepEqual(at("completed")[0].response.output[0].content[0].logprobs, all);
});
