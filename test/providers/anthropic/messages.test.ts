// Anthropic's rules for messages, checked over every kind of conversation that OpenAI accepts.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anthropicMessages, anthropicSystem } from "#providers/anthropic/messages.ts";
import { readConversation } from "#providers/translate/conversation.ts";
import { conversations, textsOf } from "../conversations.ts";

type Block = Record<string, unknown>;

function translated(messages: unknown) {
  const read = readConversation(messages);
  assert.equal(read.kind, "conversation");
  const { messages: made, issue } = anthropicMessages(read.turns);
  assert.equal(issue, null);
  const turns = made.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? [{ type: "text", text: content } as Block] : content,
  }));
  return { turns, system: anthropicSystem(read.system) };
}

test("turns alternate, results come first and answer exactly the calls before them, no text is blank", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const { turns } = translated(messages);
      const seen = new Set<unknown>();
      for (const [at, { role, content }] of turns.entries()) {
        assert.equal(role, at % 2 === 0 ? "user" : "assistant");
        assert.ok(content.length > 0);
        const uses = (turns[at - 1]?.content ?? []).filter(({ type }) => type === "tool_use");
        const results = content.filter(({ type }) => type === "tool_result");
        assert.deepEqual(
          results.map(({ tool_use_id: id }) => id),
          uses.map(({ id }) => id),
        );
        assert.deepEqual(content.slice(0, results.length), results);
        for (const block of content) {
          if (block.type === "text") assert.notEqual(String(block.text).trim(), "");
          if (block.type !== "tool_use") continue;
          assert.match(String(block.id), /^[a-zA-Z0-9_-]+$/);
          assert.ok(!seen.has(block.id));
          seen.add(block.id);
          assert.equal(typeof block.input, "object");
        }
      }
      const open = turns.at(-1)?.content.some(({ type }) => type === "tool_use");
      assert.ok(!open, "a call without an answer");
    }),
    { numRuns: 500 },
  );
});

test("system text between turns keeps its place, behind the user's turn and before the assistant's, and nothing of it gets lost", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const read = readConversation(messages, { keepsNotes: true });
      assert.equal(read.kind, "conversation");
      const { messages: made } = anthropicMessages(read.turns);
      const lifted = readConversation(messages);
      assert.equal(lifted.kind, "conversation");
      for (const [at, { role }] of made.entries()) {
        if (role !== "system") continue;
        assert.equal(made[at - 1]?.role, "user");
        assert.ok([undefined, "assistant"].includes(made[at + 1]?.role));
      }
      const notes = read.turns.flatMap((turn) => (turn.role === "assistant" ? [] : (turn.notes ?? [])));
      const sorted = (parts: readonly { text: string }[]) => parts.map(({ text }) => text).sort();
      if (lifted.system.length > 0)
        assert.deepEqual(sorted([...read.system, ...notes]), sorted(lifted.system));
    }),
    { numRuns: 500 },
  );
});

test("nothing that was said is lost or out of order", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const { turns } = translated(messages);
      for (const role of ["user", "assistant"]) {
        const expected = textsOf(messages, [role]).map((text) => text.trim());
        const actual = turns
          .filter((turn) => turn.role === role)
          .flatMap(({ content }) => content)
          .flatMap(({ type, text }) => (type === "text" ? [String(text)] : []));
        let from = 0;
        for (const text of expected) {
          const found = actual.findIndex((one, at) => at >= from && one.includes(text));
          assert.notEqual(found, -1, text);
          from = found + 1;
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("an answer begun by the caller ends without whitespace", () => {
  const { turns } = translated([
    { role: "user", content: "Go on" },
    { role: "assistant", content: "The best is \n" },
  ]);
  assert.deepEqual(turns.at(-1)?.content, [{ type: "text", text: "The best is" }]);
});

test("arguments keep every digit; those that are no object are wrapped", () => {
  const input = (args: string) => {
    const { turns } = translated([
      { role: "user", content: "x" },
      {
        role: "assistant",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: args } }],
      },
      { role: "tool", tool_call_id: "a", content: "y" },
    ]);
    return JSON.stringify(turns[1]?.content[0]?.input);
  };
  assert.equal(input('{"n":12345678901234567890,"z":-0}'), '{"n":12345678901234567890,"z":-0}');
  assert.equal(input(""), "{}");
  assert.equal(input("{oops"), '{"INVALID_JSON":"{oops"}');
});

test("system text is one, unless a part of it is to be cached", () => {
  const { system } = translated([
    { role: "system", content: "a" },
    { role: "developer", content: "b" },
    { role: "user", content: "x" },
  ]);
  assert.equal(system, "a\nb");
  const cached = translated([
    { role: "system", content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }] },
    { role: "system", content: "b" },
    { role: "user", content: "x" },
  ]);
  assert.deepEqual(cached.system, [
    { type: "text", text: "a", cache_control: { type: "ephemeral" } },
    { type: "text", text: "b" },
  ]);
});

test("documents and pictures among a tool's results; other types are a issue", () => {
  const parts = (...types: string[]) =>
    readConversation([
      { role: "user", content: "x" },
      {
        role: "assistant",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "" } }],
      },
      {
        role: "tool",
        tool_call_id: "a",
        content: types.map((type) => ({ type: "file", file: { file_data: `data:${type};base64,SGk=` } })),
      },
    ]);
  const fine = parts("image/png", "text/plain");
  assert.equal(fine.kind, "conversation");
  assert.deepEqual(anthropicMessages(fine.turns).messages[2]?.content, [
    {
      type: "tool_result",
      tool_use_id: "a",
      content: [
        { type: "image", source: { type: "base64", media_type: "image/png", data: "SGk=" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "Hi" } },
      ],
    },
  ]);
  const odd = parts("application/zip");
  assert.equal(odd.kind, "conversation");
  assert.match(anthropicMessages(odd.turns).issue ?? "", /application\/zip/);
});
