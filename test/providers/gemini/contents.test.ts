// Gemini's rules for contents, checked over every kind of conversation that OpenAI accepts.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { geminiContents, geminiSystem } from "#providers/gemini/contents.ts";
import { readConversation } from "#providers/translate/conversation.ts";
import { skipSignature } from "#providers/translate/unsealed-thoughts.ts";
import { conversations } from "../conversations.ts";

type Part = Record<string, unknown>;

function translated(messages: unknown, signs = false) {
  const read = readConversation(messages);
  assert.equal(read.kind, "conversation");
  const { contents, issue } = geminiContents(read.turns, signs);
  assert.equal(issue, null);
  return { contents, system: geminiSystem(read.system) };
}

test("the user begins, turns alternate, and responses follow their calls, one for one and by themselves", () => {
  fc.assert(
    fc.property(conversations, fc.boolean(), (messages, signs) => {
      const { contents } = translated(messages, signs);
      const kindOf = (parts: Part[]) =>
        parts.some((part) => "functionResponse" in part) ? "response" : "said";
      for (const [at, { role, parts }] of contents.entries()) {
        const before = contents[at - 1];
        if (before === undefined) assert.equal(role, "user");
        else if (before.role === role)
          assert.deepEqual([role, kindOf(before.parts), kindOf(parts)], ["user", "response", "said"]);
        assert.ok(parts.length > 0);
        const named = (own: Part[], kind: string) =>
          own.flatMap((part) => (kind in part ? [part[kind] as { id?: string; name: string }] : []));
        const responses = named(parts, "functionResponse");
        assert.deepEqual(
          responses.map(({ id, name }) => [id, name]),
          named(before?.parts ?? [], "functionCall").map(({ id, name }) => [id, name]),
        );
        if (responses.length > 0) assert.equal(responses.length, parts.length);
        for (const part of parts) if ("text" in part) assert.notEqual(String(part.text).trim(), "");
      }
    }),
    { numRuns: 500 },
  );
});

test("a model that signs gets a word for what is unsigned, on the first call of a turn", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      for (const { parts } of translated(messages, true).contents) {
        const calls = parts.filter((part) => "functionCall" in part);
        assert.deepEqual(
          calls.map(({ thoughtSignature }) => thoughtSignature),
          calls.map((_call, at) => (at === 0 ? skipSignature : undefined)),
        );
      }
    }),
  );
});

test("pictures of results: bytes are parts of them from Gemini 3 on; the rest follows, in front of what the user says", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: `see_${id}`, arguments: "{}" } });
  const bytes = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const link = { type: "image_url", image_url: { url: "https://x.test/a" } };
  const messages = [
    { role: "user", content: "x" },
    { role: "assistant", tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "done" }, bytes] },
    { role: "tool", tool_call_id: "b", content: [link] },
    { role: "user", content: "And?" },
  ];
  const inline = { inlineData: { mimeType: "image/png", data: "AAAA" } };
  const file = { fileData: { mimeType: "image/jpeg", fileUri: "https://x.test/a" } };
  const fromB = [{ text: "From the result of see_b:" }, file];
  assert.deepEqual(translated(messages, true).contents.slice(2), [
    {
      role: "user",
      parts: [
        { functionResponse: { id: "a", name: "see_a", response: { output: "done" }, parts: [inline] } },
        { functionResponse: { id: "b", name: "see_b", response: { output: "" } } },
      ],
    },
    { role: "user", parts: [...fromB, { text: "And?" }] },
  ]);
  const older = translated(messages.slice(0, 4), false).contents.at(-1);
  assert.deepEqual(older, { role: "user", parts: [{ text: "From the result of see_a:" }, inline, ...fromB] });
});

test("arguments and results keep every digit", () => {
  const { contents } = translated([
    { role: "user", content: "x" },
    {
      role: "assistant",
      tool_calls: [
        { id: "a", type: "function", function: { name: "f", arguments: '{"n":12345678901234567890}' } },
        { id: "b", type: "function", function: { name: "f", arguments: "{oops" } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: '{"n":12345678901234567890}' },
    { role: "tool", tool_call_id: "b", content: '"text"' },
  ]);
  assert.equal(
    JSON.stringify(contents.slice(1)),
    '[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":12345678901234567890}}},{"functionCall":{"name":"f","args":{"INVALID_JSON":"{oops"}}}]},' +
      '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"n":12345678901234567890}}},{"functionResponse":{"name":"f","response":{"output":"\\"text\\""}}}]}]',
  );
});

test("system text has a part for each message", () => {
  const { system } = translated([
    { role: "system", content: "a" },
    { role: "user", content: "x" },
    { role: "developer", content: "b" },
  ]);
  assert.deepEqual(system, { parts: [{ text: "a" }, { text: "b" }] });
});
