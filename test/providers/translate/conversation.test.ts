// OpenAI's messages as a conversation: merged, complete, with ids that fit everywhere; and what OpenAI refuses too.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { emptyTurnText, readConversation } from "#providers/translate/conversation.ts";
import { conversations } from "../conversations.ts";
import { lookupsIn } from "../lookups.ts";

function read(messages: unknown) {
  const found = readConversation(messages);
  assert.equal(found.kind, "conversation", JSON.stringify(found));
  return found;
}
const call = (id: string, more: object = {}) => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...more,
});
const text = (value: string) => ({ kind: "text", text: value });

test("system text is apart, wherever it stood; turns of one side are merged", () => {
  assert.deepEqual(
    read([
      { role: "user", content: "a" },
      { role: "system", content: "s" },
      { role: "user", content: [{ type: "text", text: "b" }], name: "Ann" },
      { role: "assistant", content: "c" },
      { role: "assistant", content: [{ type: "refusal", refusal: "d" }] },
      { role: "developer", content: [{ type: "text", text: "t" }] },
    ]),
    {
      kind: "conversation",
      system: [text("s"), text("t")],
      turns: [
        { role: "user", parts: [text("a"), text("Ann: b")] },
        { role: "assistant", thoughts: [], parts: [text("c"), text("d")], calls: [] },
      ],
    },
  );
});

test("a conversation begins with the user, if need be with one who says nothing", () => {
  const nothing = { role: "user", parts: [text(emptyTurnText)] };
  assert.deepEqual(read([{ role: "assistant", content: "Hi" }]).turns[0], nothing);
  assert.deepEqual(read([{ role: "user", content: " " }]).turns, [nothing]);
  assert.deepEqual(read([{ role: "system", content: "s" }]), {
    kind: "conversation",
    system: [],
    turns: [{ role: "user", parts: [text("s")] }],
  });
});

test("results stand in the order of their calls, with ids that are distinct and plain", () => {
  const { turns } = read([
    { role: "user", content: "a" },
    { role: "assistant", content: null, tool_calls: [call("x.1"), call("x")] },
    { role: "tool", tool_call_id: "x", content: "2" },
    { role: "system", content: "s" },
    { role: "tool", tool_call_id: "x.1", content: "1" },
    {
      role: "assistant",
      tool_calls: [call("x", { extra_content: { google: { thought_signature: "c2ln" } } })],
    },
    { role: "tool", tool_call_id: "x", content: "3" },
  ]);
  const rounds = turns.flatMap((turn) => (turn.role === "tool" ? turn.results : []));
  assert.deepEqual(
    rounds.map(({ call: { id, signature }, parts }) => [id, signature, parts]),
    [
      ["x_1", null, [text("1")]],
      ["x", null, [text("2")]],
      ["x_2", "c2ln", [text("3")]],
    ],
  );
});

test("what OpenAI refuses is a issue that says where", () => {
  const user = { role: "user", content: "a" };
  const faults: [unknown[], RegExp][] = [
    [[null], /messages\[0\]/],
    [[{ role: "wizard", content: "x" }], /role/],
    [[{ role: "user", content: 5 }], /content/],
    [[{ role: "user", content: [1] }], /content\[0\]/],
    [
      [{ role: "system", content: [{ type: "image_url", image_url: { url: "https://x.test" } }] }],
      /only text/,
    ],
    [[user, { role: "tool", tool_call_id: "x", content: "y" }], /messages\[1\]/],
    [[user, { role: "assistant", tool_calls: [call("x")] }], /: x\.$/],
    [[user, { role: "assistant", tool_calls: [call("x")] }, user], /messages\[2\]/],
    [[user, { role: "assistant", tool_calls: [{ id: "x" }] }], /tool_calls\[0\]/],
    [[user, { role: "assistant", tool_calls: "x" }], /tool_calls/],
    [[user, { role: "assistant", function_call: { name: "f" } }], /function_call/],
    [
      [
        user,
        { role: "assistant", tool_calls: [call("x")] },
        { role: "tool", tool_call_id: "x", content: "1" },
        { role: "tool", tool_call_id: "x", content: "2" },
      ],
      /messages\[3\]/,
    ],
  ];
  for (const [messages, says] of faults) {
    const found = readConversation(messages);
    assert.equal(found.kind, "issue", JSON.stringify(messages));
    assert.equal(found.issue.param, "messages");
    assert.match(found.issue.message, says);
  }
});

test("a thousand calls, of one id or of their own, cost a thousand times what one costs", () => {
  for (const idOf of [() => "same", (n: number) => `call ${n}`]) {
    let reads = 0;
    const results = Array.from({ length: 1_000 }, (_, n) => ({
      role: "tool",
      content: `${n}`,
      get tool_call_id() {
        reads += 1;
        return idOf(n);
      },
    }));
    const calls = Array.from({ length: 1_000 }, (_, n) => call(idOf(n)));
    let turns: ReturnType<typeof read>["turns"] = [];
    const looked = lookupsIn(() => {
      turns = read([
        { role: "user", content: "a" },
        { role: "assistant", tool_calls: calls },
        ...results,
      ]).turns;
    });
    assert.ok(looked < 10_000 && reads < 10_000, `${looked} ${reads}`);
    const last = turns.at(-1);
    assert.ok(last?.role === "tool");
    assert.equal(new Set(last.results.map(({ call: { id } }) => id)).size, 1_000);
    // Results of equal ids are those of the calls in their order.
    assert.deepEqual(
      last.results.map(({ parts }) => parts),
      results.map(({ content }) => [text(content)]),
    );
  }
});

test("all that OpenAI accepts is a conversation that keeps its promises", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const { turns } = read(messages);
      assert.equal(turns[0]?.role, "user");
      const ids = turns.flatMap((turn) => (turn.role === "assistant" ? turn.calls.map(({ id }) => id) : []));
      assert.equal(new Set(ids).size, ids.length);
      for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
      for (const [at, turn] of turns.entries()) {
        const before = turns[at - 1];
        if (turn.role === "tool") {
          assert.ok(before?.role === "assistant");
          assert.deepEqual(
            turn.results.map((result) => result.call),
            before.calls,
          );
          continue;
        }
        assert.notEqual(before?.role, turn.role);
        assert.ok(turn.parts.length > 0 || (turn.role === "assistant" && turn.calls.length > 0));
      }
    }),
    { numRuns: 500 },
  );
});
