// Responses that are forwarded: the request with its member's model and nothing stored, answers read as far as needed.

import assert from "node:assert/strict";
import test from "node:test";
import { EventReader } from "#ai/stream/event-reader.ts";
import {
  foldedResponse,
  responsesAnswer,
  responsesBody,
  responsesSealed,
  responsesStream,
} from "#providers/openai/responses.ts";
import type { Chunk } from "#providers/provider.ts";
import { responsesEvents, responsesUsage, upstreamResponse } from "../../http/responses-peer.ts";

test("the model changes, nothing is stored, unsealed thoughts and upstreams go; the rest stays to the digit", () => {
  const text =
    '{"model":"asked","base_url":"http://evil.test","n":1e400,"input":[{"type":"reasoning","id":"r"},{"role":"user","content":"Hi"}]}';
  const sent = responsesBody({ text, body: JSON.parse(text), model: "served" });
  assert.match(sent, /"n":1e400/);
  const { model, store, base_url, input } = JSON.parse(sent);
  assert.deepEqual([model, store, base_url], ["served", false, undefined]);
  assert.deepEqual(input, [{ role: "user", content: "Hi" }]);
});

test("a whole answer counts its tokens; an error in a 200 and a page are failures", () => {
  const answer = responsesAnswer(JSON.stringify(upstreamResponse("m")));
  assert.ok(answer.kind === "answer" && answer.output);
  assert.deepEqual([answer.usage?.promptTokens, answer.usage?.completionTokens], [9, 5]);
  for (const text of ['{"error":{"message":"x"}}', '{"status":"failed","output":[]}', "<html>", "{}"])
    assert.equal(responsesAnswer(text).kind, "failure", text);
});

test("a stream: output from its first delta, its end, and nothing after it", () => {
  const reader = responsesStream();
  const push = (data: object) => reader.push({ event: null, data: JSON.stringify(data) });
  const [created] = push({ type: "response.created", response: {} });
  assert.ok(created?.kind === "chunk" && !created.output);
  const [delta] = push({ type: "response.output_text.delta", delta: "Hi" });
  assert.ok(delta?.kind === "chunk" && delta.output && delta.units === 2);
  const end = push({ type: "response.completed", response: upstreamResponse("m") });
  assert.deepEqual(
    end.map(({ kind }) => kind),
    ["chunk", "done"],
  );
  assert.deepEqual(push({ type: "response.output_text.delta", delta: "more" }), []);
  const failed = responsesStream().push({ event: "error", data: '{"type":"error","message":"Down."}' });
  assert.equal(failed[0]?.kind, "failure");
});

test("without foreign reasoning the rest of the conversation stays, and no id asks for what is gone", () => {
  const input = [
    { role: "user", content: "Hi" },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "foreign" },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" },
    { type: "function_call_output", id: "fo_1", call_id: "call_1", output: "1" },
    { type: "compaction", id: "cmp_1", encrypted_content: "sealed" },
    { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "own" },
    { type: "message", id: "msg_1", role: "assistant", content: [] },
    "odd",
  ];
  const text = JSON.stringify({ model: "asked", input });
  const sent = (...foreign: string[]) =>
    JSON.parse(responsesBody({ text, body: JSON.parse(text), model: "m", foreign: new Set(foreign) })).input;
  assert.deepEqual(sent(), input);
  const { id: _id, ...called } = input[2] as Record<string, unknown>;
  assert.deepEqual(sent("foreign"), [input[0], called, ...input.slice(3)]);
  const { id: _other, ...message } = input[6] as Record<string, unknown>;
  assert.deepEqual(sent("foreign", "own"), [input[0], called, input[3], input[4], message, "odd"]);
});

test("what is sealed is read of whole answers and of the events that close an item, and of nothing else", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
  const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "gBBB" };
  const output = [
    reasoning,
    { type: "message", content: [{ type: "output_text", text: '"encrypted_content"' }] },
  ];
  const made = (value: object) => responsesSealed.made(JSON.stringify(value));
  assert.deepEqual(made({ output: [...output, compaction] }), ["gAAA", "gBBB"]);
  assert.deepEqual(made({ type: "response.output_item.done", item: reasoning }), ["gAAA"]);
  assert.deepEqual(made({ type: "response.completed", response: { output } }), ["gAAA"]);
  const open = { ...reasoning, encrypted_content: null };
  for (const value of [
    { type: "response.output_item.added", item: reasoning },
    { output: [open] },
    { delta: "Hi" },
  ])
    assert.deepEqual(made(value), []);
  assert.deepEqual(responsesSealed.made('{"encrypted_content"'), []);
});

test("a stream folded: the answer that its last event repeats, or the items before it where that one has none", () => {
  const chunks = (events: readonly string[]) => {
    const reader = responsesStream();
    return (new EventReader().push(Buffer.from(events.join(""))) ?? [])
      .flatMap((event) => reader.push(event))
      .filter((piece): piece is Chunk => piece.kind === "chunk");
  };
  const events = responsesEvents("m");
  const whole = foldedResponse(chunks(events));
  assert.deepEqual(JSON.parse(whole.text), upstreamResponse("m"));
  assert.equal(whole.usage?.totalTokens, responsesUsage.total_tokens);
  const bare = { type: "response.completed", response: upstreamResponse("m", { output: [] }) };
  const last = `event: response.completed\ndata: ${JSON.stringify(bare)}\n\n`;
  assert.deepEqual(
    JSON.parse(foldedResponse(chunks([...events.slice(0, -1), last])).text),
    upstreamResponse("m"),
  );
});
