// A whole message as its stream: read by the gateway, folded again and read by Anthropic's own client.

import assert from "node:assert/strict";
import test from "node:test";
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import { foldedMessage } from "#providers/anthropic/fold.ts";
import { forwardedStream } from "#providers/anthropic/native.ts";
import { unfoldedMessage } from "#providers/anthropic/unfold.ts";
import type { Chunk } from "#providers/provider.ts";
import { anthropicMessage } from "../../http/anthropic-peer.ts";
import { answerCases } from "../fixtures.ts";
import { eventsOf } from "../sse.ts";

/** Every kind of block that has deltas of its own, one that has none, and fields that are not known here. */
const content = [
  { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk/+0=" },
  { type: "redacted_thinking", data: "sealed" },
  { type: "text", text: "A fact.", citations: [{ type: "page_location", cited_text: "fact" }], odd: 1 },
  { type: "tool_use", id: "toolu_1", name: "f", input: { n: 1, deep: { list: [true] } } },
  { type: "tool_use", id: "toolu_2", name: "g", input: {} },
  { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ type: "web_search_result" }] },
];
const message = { ...anthropicMessage("claude", content, "tool_use"), unknown_field: { kept: true } };

function chunksOf(text: string): Chunk[] {
  const reader = forwardedStream();
  const pieces = eventsOf(unfoldedMessage(text)).flatMap((event) => reader.push(event));
  assert.equal(pieces.at(-1)?.kind, "done");
  return pieces.filter((piece): piece is Chunk => piece.kind === "chunk");
}

test("what is unfolded and folded again is the message, of every recorded one too", () => {
  const recorded = answerCases("anthropic").filter(({ failure }) => failure === undefined);
  assert.ok(recorded.length > 5);
  for (const wire of [message, ...recorded.map(({ wire }) => wire)]) {
    if (typeof wire === "string") continue;
    const whole = { stop_sequence: null, ...(wire as object) };
    assert.deepEqual(JSON.parse(foldedMessage(chunksOf(JSON.stringify(whole))).text), whole);
  }
});

test("numbers keep their digits, and the tokens are counted", () => {
  const text = JSON.stringify(message).replace('"n":1', '"n":12345678901234567890');
  const chunks = chunksOf(text);
  assert.match(foldedMessage(chunks).text, /"n":12345678901234567890/);
  assert.deepEqual(chunks.at(-1)?.usage, {
    promptTokens: 9,
    completionTokens: 5,
    totalTokens: 14,
    cachedTokens: 2,
    cacheWriteTokens: 3,
  });
});

test("Anthropic's client reads the stream as the message", async () => {
  const lines = eventsOf(unfoldedMessage(JSON.stringify(message))).map(({ data }) => `${data}\n`);
  const stream = MessageStream.fromReadableStream(
    new ReadableStream({
      start: (controller) => {
        for (const line of lines) controller.enqueue(new TextEncoder().encode(line));
        controller.close();
      },
    }),
  );
  const { content, stop_reason, usage } = await stream.finalMessage();
  assert.deepEqual(JSON.parse(JSON.stringify(content)), message.content);
  assert.deepEqual([stop_reason, usage.output_tokens], ["tool_use", 5]);
});
