// Anthropic's own client as the judge: it sends the requests that we send, and reads in the recorded streams what we read.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { requestOf } from "../conformance-cases.ts";
import { eventsOf } from "../sse.ts";
import { spoken, vendorDouble } from "../vendor-double.ts";
import { anthropicSuite as suite } from "./anthropic-suite.ts";

const key = String(suite.settings.api_key);
// Without a timeout of its own it refuses long answers that are not streamed.
const clientOf = (baseURL: string) => new Anthropic({ apiKey: key, baseURL, maxRetries: 0, timeout: 10_000 });
const message = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

describe("anthropic: what its client sends", () => {
  for (const { name, request } of suite.requests) {
    test(name, async () => {
      const double = await vendorDouble(message, "application/json");
      try {
        const body = request.body as Anthropic.MessageCreateParams;
        await clientOf(double.origin)
          .messages.create({ ...body, stream: false })
          .catch(() => null);
        const sent = double.sent();
        assert.ok(sent);
        const { stream: _stream, ...theirs } = sent.body as Record<string, unknown>;
        const { stream: _ours, ...ours } = request.body as Record<string, unknown>;
        assert.deepEqual(theirs, ours);
        assert.deepEqual([sent.method, sent.path], ["POST", new URL(request.url).pathname]);
        // The bodies are the same; the client is of the later version, which takes no samplers, and sends its key as a
        // Bearer. The API takes `x-api-key` with both; the adapter says 2023-06-01 unless its settings say otherwise.
        // When this changes, look at the adapter.
        assert.equal(sent.headers.authorization, `Bearer ${key}`);
        assert.equal(sent.headers["anthropic-version"], "2026-10-21");
        assert.match(sent.headers["content-type"] ?? "", /^application\/json/);
      } finally {
        double.close();
      }
    });
  }
});

describe("anthropic: what its client reads", () => {
  for (const { name, wire, body, model, end } of suite.streams) {
    test(name, async () => {
      const double = await vendorDouble(wire, "text/event-stream");
      try {
        const reading = clientOf(double.origin)
          .messages.stream({ model: suite.model, max_tokens: 1, messages: [] })
          .finalMessage()
          .catch(() => null);
        const theirs = await reading;
        if (end !== "done") return;
        assert.ok(theirs, "the client cannot read it");
        const reader = anthropic.stream(requestOf(body ?? { messages: [] }, model ?? suite.model, true));
        const ours = spoken(eventsOf(wire).flatMap((event) => reader.push(event)));
        const text = theirs.content.map((block) => (block.type === "text" ? block.text : "")).join("");
        const thought = theirs.content
          .map((block) => (block.type === "thinking" ? block.thinking : ""))
          .join("");
        const used = theirs.content.flatMap((block) =>
          block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [],
        );
        assert.equal(ours.reasoning, thought);
        if (ours.calls.length === 0 && used.length > 0)
          assert.deepEqual(JSON.parse(ours.text), used[0]!.input);
        else {
          assert.equal(ours.text, text);
          assert.deepEqual(ours.calls, used);
        }
      } finally {
        double.close();
      }
    });
  }
});
