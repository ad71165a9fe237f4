// Streams of the Responses API joined to responses.

import assert from "node:assert/strict";
import test from "node:test";
import { joinedResponse } from "#ai/apis/responses/joined.ts";
import { events } from "../../stream-text.ts";

test("a response is what its last event repeats, and without that one its items and the text so far", () => {
  const item = { type: "message", content: [{ type: "output_text", text: "One" }] };
  const response = { id: "resp_1", status: "in_progress", output: [] };
  const begun = [
    { type: "response.created", response },
    { type: "response.output_text.delta", delta: "One" },
    { type: "response.output_item.done", item },
    { type: "response.output_text.delta", delta: "Tw" },
    { type: "response.output_text.delta", delta: "o" },
  ];
  const done = { ...response, status: "completed", output: [item] };
  assert.deepEqual(joinedResponse(events([...begun, { type: "response.completed", response: done }])), done);
  const cut = joinedResponse(events(begun)) as { id: string; output: object[] };
  assert.equal(cut.id, "resp_1");
  assert.deepEqual(cut.output, [
    item,
    {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Two" }],
      status: "in_progress",
    },
  ]);
});
