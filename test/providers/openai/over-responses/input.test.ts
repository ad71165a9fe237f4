// Messages of a chat completion as items of the Responses API.

import assert from "node:assert/strict";
import test from "node:test";
import { inputOf } from "#providers/openai/over-responses/input.ts";
import { requestFields } from "#providers/translate/request-fields.ts";

function read(messages: readonly object[]) {
  const fields = requestFields({ messages }, "The Responses API");
  return { input: inputOf(fields), issue: fields.firstIssue()?.param ?? null };
}

const url = "data:image/png;base64,AAAA";
const call = { id: "call_1", type: "function", function: { name: "f", arguments: '{"n":1}' } };

test("a picture that the model made comes back as the user's", () => {
  const images = [{ type: "image_url", image_url: { url } }];
  assert.deepEqual(read([{ role: "assistant", content: "", images }]).input, [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "The assistant made these pictures:" },
        { type: "input_image", image_url: url, detail: "auto" },
      ],
    },
  ]);
});

test("texts, pictures, documents, calls and results have equivalents, in their order", () => {
  const { input, issue } = read([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url, detail: "low" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA" } },
      ],
    },
    { role: "assistant", content: "I call.", reasoning_content: "thoughts", tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "1" }] },
    { role: "assistant", content: null, refusal: "No." },
    { role: "developer", content: "Now." },
    { role: "tool", tool_call_id: "call_1", content: [{ type: "image_url", image_url: { url } }] },
  ]);
  assert.equal(issue, null);
  assert.deepEqual(input, [
    { type: "message", role: "system", content: "Be brief." },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "Look" },
        { type: "input_image", image_url: url, detail: "low" },
        { type: "input_file", file_data: "data:application/pdf;base64,AA", filename: "a.pdf" },
      ],
    },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I call." }] },
    { type: "function_call", call_id: "call_1", name: "f", arguments: '{"n":1}' },
    { type: "function_call_output", call_id: "call_1", output: "1" },
    { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    { type: "message", role: "developer", content: "Now." },
    {
      type: "function_call_output",
      call_id: "call_1",
      output: [{ type: "input_image", image_url: url, detail: "auto" }],
    },
  ]);
});

test("what has no equivalent is an issue of the messages", () => {
  for (const message of [
    { role: "user", content: [{ type: "input_audio", input_audio: { data: "AA", format: "wav" } }] },
    { role: "function", name: "f", content: "1" },
    { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
    { role: "assistant", content: [{ type: "odd" }] },
    { role: "assistant", tool_calls: [{ id: "c", type: "custom", custom: { name: "c", input: "" } }] },
  ])
    assert.equal(read([message]).issue, "messages", JSON.stringify(message));
});
