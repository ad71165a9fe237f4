// Converse's rules for messages, checked over every kind of conversation that OpenAI accepts.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { bedrockMessages, bedrockSystem, cachePoint } from "#providers/bedrock/messages.ts";
import { readConversation } from "#providers/translate/conversation.ts";
import { conversations } from "../conversations.ts";
import { lookupsIn } from "../lookups.ts";

type Block = Record<string, { toolUseId: string; input?: unknown; content?: object[]; name?: string }>;

function translated(messages: unknown, caches = true) {
  const read = readConversation(messages);
  assert.equal(read.kind, "conversation");
  return { ...bedrockMessages(read.turns, { caches }), system: bedrockSystem(read.system, { caches }) };
}

test("the user begins, turns alternate, every call has its result in the turn behind it, and no text is blank", () => {
  fc.assert(
    fc.property(conversations, (conversation) => {
      const { messages } = translated(conversation);
      const named = (content: object[] | undefined, kind: string) =>
        (content as Block[] | undefined)?.flatMap((block) => block[kind]?.toolUseId ?? []) ?? [];
      for (const [at, { role, content }] of messages.entries()) {
        assert.equal(role, at % 2 === 0 ? "user" : "assistant");
        for (const block of content as Block[]) {
          if ("text" in block) assert.notEqual(String(block.text).trim(), "");
          if (block.toolUse) assert.equal(typeof block.toolUse.input, "object");
          if (block.toolResult) assert.ok((block.toolResult.content?.length ?? 0) > 0);
        }
        const calls = named(content, "toolUse");
        assert.deepEqual(named(messages[at + 1]?.content, "toolResult"), calls);
        for (const id of calls) assert.match(id, /^[\w-]{1,64}$/);
      }
    }),
  );
});

test("documents have distinct names of the letters that Bedrock takes", () => {
  const file = (filename: string) => ({
    type: "file",
    file: { filename, file_data: "data:text/csv;base64,YQ==" },
  });
  const { messages, issue } = translated([
    {
      role: "user",
      content: [file("a/b  (1).csv"), file("a b (1)_csv"), file("…"), { type: "text", text: "x" }],
    },
  ]);
  assert.equal(issue, null);
  const names = (messages[0]!.content as Block[]).flatMap(({ document }) => document?.name ?? []);
  assert.deepEqual(names, ["a b (1) csv", "a b (1) csv 2", "document"]);
  // The conversation comes whole with each request: names of earlier messages are taken too.
  const user = { role: "user", content: [file("a.csv"), { type: "text", text: "x" }] };
  const later = translated([user, { role: "assistant", content: "Yes." }, user]).messages.flatMap(
    ({ content }) => (content as Block[]).flatMap(({ document }) => document?.name ?? []),
  );
  assert.deepEqual(later, ["a csv", "a csv 2"]);
  const cased = translated([
    { role: "user", content: [file("a.csv"), file("A.csv"), file("A.CSV"), { type: "text", text: "x" }] },
  ]).messages.flatMap(({ content }) => (content as Block[]).flatMap(({ document }) => document?.name ?? []));
  assert.deepEqual(cased, ["a csv", "A csv 2", "A CSV 3"]);
});

test("a thousand documents without a name have a thousand names, at a cost that grows as their number does", () => {
  const part = { type: "image_url", image_url: { url: "data:," } };
  const read = readConversation([{ role: "user", content: Array.from({ length: 1_000 }, () => part) }]);
  assert.equal(read.kind, "conversation");
  let names: unknown[] = [];
  const looked = lookupsIn(() => {
    const { messages } = bedrockMessages(read.turns, { caches: false });
    names = (messages[0]!.content as Block[]).flatMap(({ document }) => document?.name ?? []);
  });
  assert.equal(new Set(names).size, 1_000);
  assert.ok(looked < 10_000, `${looked}`);
});

test("marks of the cache, for models that take them", () => {
  const content = [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "5m" } }];
  const messages = [
    { role: "system", content },
    { role: "user", content },
  ];
  const block = [{ text: "x" }, { cachePoint: { type: "default" } }];
  assert.deepEqual(translated(messages).system, block);
  assert.deepEqual(translated(messages).messages[0]?.content, block);
  assert.deepEqual(translated(messages, false).messages[0]?.content, [{ text: "x" }]);
  assert.deepEqual(cachePoint(undefined, { caches: true }), []);
});

test("an answer that the request begins ends without a blank", () => {
  const { messages } = translated([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Sure, \n" },
  ]);
  assert.deepEqual(messages.at(-1), { role: "assistant", content: [{ text: "Sure," }] });
});
