// Anthropic's streams: made from chunks in any order and split anywhere, they are what Anthropic's own are like.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ForwardedMessageWriter, MessageWriter } from "#ai/apis/messages/stream.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { openaiStream } from "#providers/openai/stream.ts";
import type { Chunk } from "#providers/provider.ts";
import { eventsOf } from "../../../providers/sse.ts";

interface Block {
  type: string;
  text: string;
  id?: string;
  name?: string;
}

/** Folds a stream as clients do, and checks the order of its events on the way. */
function fold(text: string) {
  const blocks: Block[] = [];
  let open: number | null = null;
  let stop: unknown = null;
  let ended = false;
  for (const [at, { event, data }] of eventsOf(text).entries()) {
    const value = JSON.parse(data);
    assert.equal(value.type, event);
    assert.equal(ended, false);
    assert.equal(event === "message_start", at === 0);
    if (event === "content_block_start") {
      assert.equal(open, null);
      open = value.index;
      assert.equal(open, blocks.length);
      const { type, id, name } = value.content_block;
      blocks.push({ type, text: "", ...(type === "tool_use" ? { id, name } : {}) });
    } else if (event === "content_block_delta") {
      assert.equal(value.index, open);
      const { text = "", thinking = "", partial_json = "" } = value.delta;
      blocks.at(-1)!.text += text + thinking + partial_json;
    } else if (event === "content_block_stop") {
      assert.equal(value.index, open);
      open = null;
    } else if (event === "message_delta") stop = value.delta.stop_reason;
    else if (event === "message_stop") ended = true;
  }
  return { blocks, open, stop, ended };
}

const served = { provider: "primary", model: "m", latency_ms: 1, attempts: 1, cost: 0.5 };
const rules = {
  served,
  model: "m",
  stem: "s",
  thinking: true,
  signed: true,
  promptTokens: 7,
  names: new ToolNames(),
};

function chunkOf(delta: object, finish: string | null = null): Chunk {
  const request = { text: "{}", body: {}, model: "m", stream: true };
  const data = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
  return openaiStream(request).push({ event: null, data })[0] as Chunk;
}

type Part = { kind: "text" | "reasoning" | "call"; text: string; call: number };

test("any mixture of thoughts, text and calls is written in full, block by block (2,000 mixtures)", () => {
  const anyPart = fc.record({
    kind: fc.constantFrom<Part["kind"]>("text", "reasoning", "call"),
    text: fc.string({ maxLength: 5 }),
    call: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 30 }), (parts: Part[]) => {
      const writer = new MessageWriter(rules);
      const begun = new Set<number>();
      let out = "";
      for (const { kind, text, call } of parts) {
        if (kind === "text") out += writer.chunk(chunkOf({ content: text }));
        else if (kind === "reasoning") out += writer.chunk(chunkOf({ reasoning_content: text }));
        else {
          const first = begun.has(call) ? {} : { id: `call_id_${call}`, type: "function" };
          const name = begun.has(call) ? {} : { name: `f${call}` };
          begun.add(call);
          const calls = [{ index: call, ...first, function: { ...name, arguments: text } }];
          out += writer.chunk(chunkOf({ tool_calls: calls }));
        }
      }
      out += writer.chunk(chunkOf({}, begun.size > 0 ? "tool_calls" : "stop"));
      out += writer.done();
      const { blocks, open, stop, ended } = fold(out);
      assert.deepEqual([open, ended], [null, true]);
      assert.equal(stop, begun.size > 0 ? "tool_use" : "end_turn");
      const textOf = (type: string) =>
        blocks
          .filter((block) => block.type === type)
          .map(({ text }) => text)
          .join("");
      const partsOf = (kind: Part["kind"]) => parts.filter((part) => part.kind === kind);
      assert.equal(
        textOf("text"),
        partsOf("text")
          .map(({ text }) => text)
          .join(""),
      );
      for (const call of begun) {
        const block = blocks.filter(({ name }) => name === `f${call}`);
        assert.equal(block.length, 1);
        assert.equal(block[0]!.id, `call_id_${call}`);
        const args = partsOf("call").filter((part) => part.call === call);
        assert.equal(block[0]!.text, args.map(({ text }) => text).join(""));
      }
    }),
    { numRuns: 2_000 },
  );
});

test("an empty completion, and one with a refusal", () => {
  const empty = new MessageWriter(rules);
  const text = empty.done();
  assert.ok(
    text.endsWith(`data: {"type":"message_stop","service_pool":${JSON.stringify(served)}}\n\n`),
    text,
  );
  assert.deepEqual(fold(text), { blocks: [], open: null, stop: "end_turn", ended: true });
  const refused = new MessageWriter({ ...rules, thinking: false, signed: false });
  const out =
    refused.chunk(chunkOf({ reasoning_content: "hidden" })) +
    refused.chunk(chunkOf({ refusal: "No." }, "stop")) +
    refused.done();
  assert.deepEqual(fold(out).blocks, [{ type: "text", text: "No." }]);
  assert.equal(fold(out).stop, "refusal");
});

test("a picture beside an open call is named after it", () => {
  const writer = new MessageWriter(rules);
  const call = { index: 0, id: "call_id_0", type: "function", function: { name: "f", arguments: "{" } };
  const images = [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }];
  const out =
    writer.chunk(chunkOf({ tool_calls: [call] })) +
    writer.chunk(chunkOf({ images })) +
    writer.chunk(chunkOf({ tool_calls: [{ index: 0, function: { arguments: "}" } }] })) +
    writer.chunk(chunkOf({}, "tool_calls")) +
    writer.done();
  const { blocks } = fold(out);
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ["tool_use", "text"],
  );
  assert.deepEqual([blocks[0]?.text, /a picture, image\/png/.test(blocks[1]?.text ?? "")], ["{}", true]);
});

test("a stream that failed does not look whole", () => {
  const writer = new MessageWriter(rules);
  const out =
    writer.chunk(chunkOf({ content: "Half" })) +
    writer.failed({ message: "cut", type: "t", param: null, code: null });
  assert.equal(fold(out).ended, false);
  assert.match(
    out,
    /event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error","message":"cut"\}\}\n\n$/,
  );
});

test("a forwarded stream changes the model's name in its first event, adds `service_pool` to its last, and changes nothing else", () => {
  const writer = new ForwardedMessageWriter("asked", served);
  const piece = (event: string, text: string): Chunk => ({
    kind: "chunk",
    event,
    text,
    output: false,
    finish: false,
    usage: null,
    usageOnly: false,
    units: 0,
  });
  assert.equal(
    writer.chunk(piece("message_start", '{"type":"message_start","message":{"x":1e400, "model":"served"}}')),
    'event: message_start\ndata: {"type":"message_start","message":{"x":1e400, "model":"asked"}}\n\n',
  );
  assert.equal(
    writer.chunk(
      piece("message_start", '{"type":"message_start","message":{"service_pool":{"cost":9},"x":1}}'),
    ),
    'event: message_start\ndata: {"type":"message_start","message":{"x":1,"model":"asked"}}\n\n',
    "what the member says of its own cost is not passed on",
  );
  const later = '{"type":"new","message":{"model":"served"}}';
  assert.equal(writer.chunk(piece("new", later)), `event: new\ndata: ${later}\n\n`);
  const stop = JSON.stringify({ type: "message_stop", service_pool: served });
  assert.equal(writer.done(), `event: message_stop\ndata: ${stop}\n\n`);
});
