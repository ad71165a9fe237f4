// What the sandbox says: the user's words come back whole, and a tool's arguments fit its schema.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  embed,
  emptyAnswerText,
  estimateTokens,
  lastUserText,
  splitWords,
  toolCall,
  toolResultText,
  truncateToTokens,
} from "#providers/sandbox/answers.ts";

test("words are the text again when they are put together", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(splitWords(text).join(""), text);
    }),
  );
  assert.deepEqual(splitWords(" Hi there,  you "), [" Hi ", "there,  ", "you "]);
});

test("the last user's message is said, whichever form it has, and something always is", () => {
  const user = (content: unknown) => ({ role: "user", content });
  assert.equal(lastUserText([user("one"), user("two"), { role: "assistant", content: "three" }]), "two");
  const parts = [
    { type: "text", text: "a" },
    { type: "image_url", image_url: {} },
    { type: "text", text: "b" },
  ];
  assert.equal(lastUserText([user(parts)]), "ab");
  for (const nothing of [[], [user("  ")], [user(null)], null, "text", [{ role: "system", content: "x" }]])
    assert.equal(lastUserText(nothing), emptyAnswerText);
});

test("a tool's answer counts only while it is the last word", () => {
  const toolResult = { role: "tool", tool_call_id: "1", content: "22 °C" };
  assert.equal(toolResultText([{ role: "user", content: "?" }, toolResult]), "22 °C");
  assert.equal(toolResultText([toolResult, { role: "user", content: "?" }]), null);
  assert.equal(toolResultText([]), null);
});

const tool = (parameters: unknown, name: unknown = "look") => ({
  tools: [{ type: "function", function: { name, parameters } }],
});

test("arguments fit the schema of the first function", () => {
  const call = toolCall(
    tool({
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { enum: ["c", "f"] },
        days: { type: "integer", minimum: 3 },
        share: { type: ["number", "null"] },
        exact: { type: "boolean" },
        tags: { type: "array", items: { type: "string" } },
        place: { properties: { x: { const: 7 } } },
        either: { anyOf: [{ type: "integer" }, { type: "string" }] },
        preset: { type: "string", default: "usual" },
        any: {},
      },
    }),
  );
  assert.equal(call?.name, "look");
  assert.deepEqual(JSON.parse(call.arguments), {
    city: "example",
    unit: "c",
    days: 3,
    share: 1,
    exact: true,
    tags: ["example"],
    place: { x: 7 },
    either: 1,
    preset: "usual",
    any: null,
  });
});

test("with every schema, the arguments are a JSON object, also where it is deep", () => {
  const deep: Record<string, unknown> = { type: "object" };
  deep.properties = { again: deep };
  assert.ok(JSON.parse(toolCall(tool(deep))!.arguments).again);
  fc.assert(
    fc.property(fc.jsonValue(), (parameters) => {
      const value: unknown = JSON.parse(toolCall(tool(parameters))!.arguments);
      assert.ok(typeof value === "object" && value !== null && !Array.isArray(value));
    }),
  );
});

test("without a function that may be called there is no call", () => {
  for (const body of [
    {},
    { tools: [] },
    { tools: "x" },
    { tools: [{ type: "custom", custom: { name: "a" } }] },
    tool({}, 7),
    { ...tool({}), tool_choice: "none" },
  ])
    assert.equal(toolCall(body), null);
});

test("a vector has the length 1, and tells texts apart", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.integer({ min: 2, max: 64 }), (one, other, size) => {
      const vector = embed(one, size);
      assert.equal(vector.length, size);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-9);
      assert.deepEqual(embed(one, size), vector);
      if (one !== other) assert.notDeepEqual(embed(other, size), vector);
    }),
  );
});

test("tokens are reckoned, and no text has none", () => {
  assert.deepEqual(["", "a", "four", "fours"].map(estimateTokens), [0, 1, 1, 2]);
});

test("a limit of tokens keeps what fits, and no half of a character", () => {
  assert.equal(truncateToTokens("one two three", 2), "one two ");
  assert.equal(truncateToTokens("one two", 2), "one two");
  assert.equal(truncateToTokens("abc😀def", 1), "abc");
  for (const none of [undefined, null, 0, -1, 1.5, "2"])
    assert.equal(truncateToTokens("one two", none), "one two");
});
