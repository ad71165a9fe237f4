// A Messages stream folded into the message that Anthropic answers without streaming.

import assert from "node:assert/strict";
import test from "node:test";
import { EventReader } from "#ai/stream/event-reader.ts";
import { foldedMessage } from "#providers/anthropic/fold.ts";
import { forwardedStream } from "#providers/anthropic/native.ts";
import type { Chunk } from "#providers/provider.ts";
import {
  anthropicEvent,
  anthropicEvents,
  anthropicMessage,
  anthropicUsage,
} from "../../http/anthropic-peer.ts";

function folded(events: readonly string[]): ReturnType<typeof foldedMessage> {
  const reader = forwardedStream();
  const pieces = (new EventReader().push(Buffer.from(events.join(""))) ?? []).flatMap((event) =>
    reader.push(event),
  );
  assert.equal(pieces.at(-1)?.kind, "done");
  return foldedMessage(pieces.filter((piece): piece is Chunk => piece.kind === "chunk"));
}

test("thoughts with their signature, texts and calls are whole, and unknown fields stay", () => {
  const { text, usage } = folded(anthropicEvents("claude"));
  assert.deepEqual(JSON.parse(text), {
    ...anthropicMessage(
      "claude",
      [
        { type: "thinking", thinking: "A file is wanted.", signature: "c2lnbmVk/+0=" },
        { type: "text", text: "I will create it." },
        { type: "tool_use", id: "toolu_hello_1", name: "Bash", input: { command: "ls" } },
      ],
      "tool_use",
    ),
    unknown_field: "12345678901234567890",
    usage: anthropicUsage,
  });
  assert.deepEqual(usage, {
    promptTokens: 9,
    completionTokens: 5,
    totalTokens: 14,
    cachedTokens: 2,
    cacheWriteTokens: 3,
  });
});

/** A stream with one block. */
function blockStream(block: object, deltas: readonly object[]): string[] {
  return [
    anthropicEvent({
      type: "message_start",
      message: { ...anthropicMessage("claude", []), stop_reason: null },
    }),
    anthropicEvent({ type: "content_block_start", index: 0, content_block: block }),
    ...deltas.map((delta) => anthropicEvent({ type: "content_block_delta", index: 0, delta })),
    anthropicEvent({ type: "content_block_stop", index: 0 }),
    anthropicEvent({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 7 },
      context_management: { applied_edits: [] },
    }),
    anthropicEvent({ type: "message_stop" }),
  ];
}

test("numbers of a call stay as they were spelled, and input that was cut off is kept", () => {
  const tool = { type: "tool_use", id: "toolu_1", name: "pay", input: {} };
  const exact = folded(
    blockStream(tool, [
      { type: "input_json_delta", partial_json: '{"id": 1234567890123' },
      { type: "input_json_delta", partial_json: "4567890}" },
    ]),
  );
  assert.ok(exact.text.includes('"input":{"id":12345678901234567890}'), exact.text);
  const cut = folded(blockStream(tool, [{ type: "input_json_delta", partial_json: '{"id": 12' }]));
  assert.deepEqual(JSON.parse(cut.text).content[0].input, { INVALID_JSON: '{"id": 12' });
  const empty = folded(blockStream(tool, []));
  assert.deepEqual(JSON.parse(empty.text).content, [tool]);
});

test("citations are listed, deltas of an unknown kind add to their texts, and the end's fields and counts are kept", () => {
  const { text, usage } = folded(
    blockStream({ type: "text", text: "" }, [
      { type: "text_delta", text: "It is " },
      { type: "citations_delta", citation: { type: "char_location", cited_text: "a" } },
      { type: "citations_delta", citation: { type: "char_location", cited_text: "b" } },
      { type: "text_delta", text: "so." },
      { type: "a_new_delta", text: "!", tone: "calm" },
    ]),
  );
  const message = JSON.parse(text);
  assert.deepEqual(message.content, [
    {
      type: "text",
      text: "It is so.!",
      tone: "calm",
      citations: [
        { type: "char_location", cited_text: "a" },
        { type: "char_location", cited_text: "b" },
      ],
    },
  ]);
  assert.deepEqual(message.context_management, { applied_edits: [] });
  assert.equal(message.usage.output_tokens, 7);
  assert.equal(usage?.completionTokens, 7);
});
