// Where a server's words for a 500 are not known: what one caller asks for costs that kind of request at that model, not the member.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { requestKind } from "#ai/failover/request-kind.ts";
import { answered, json, type Script, script } from "../scripted-members.ts";
import { type Asked, call, run } from "./chain-calls.ts";

const refused = json({ error: { message: "Something went wrong.", type: "server_error" } }, 500);
const asked = (body: Record<string, unknown>, more: Asked = {}): Asked => ({
  body,
  text: JSON.stringify(body),
  pool: { repeat: 0 },
  ...more,
});
const hello = { role: "user", content: "hello" };
const picture = {
  role: "user",
  content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }],
};
const tools = [{ type: "function", function: { name: "f", parameters: {} } }];

const odd: readonly (readonly [name: string, asked: Asked])[] = [
  ["pictures", asked({ messages: [picture] })],
  ["tools", asked({ messages: [hello], tools })],
  ["response_format", asked({ messages: [hello], response_format: { type: "json_object" } })],
  ["roles", asked({ messages: [hello, hello] })],
  ["size 2", asked({ messages: [hello] }, { promptTokens: 20_000 })],
];

const served = async (it: Script, members: Parameters<typeof call>[0], more: Asked) => {
  const result = await run(it, call(members, "chat", more));
  return result.kind === "answer" ? result.won.choice.member.name : result.kind;
};

describe("a 500 without known words", () => {
  for (const [kind, special] of odd)
    test(`at ${kind}: the kind goes elsewhere, other requests stay`, async () => {
      const it = script();
      const first = it.member("first", [refused, refused, answered()]);
      const members = [first, it.member("second", [answered()])];
      assert.equal(requestKind(call(members, "chat", special)), kind);
      for (let turn = 0; turn < 6; turn++) assert.equal(await served(it, members, special), "second");
      assert.equal(it.names().filter((name) => name === "first").length, 2, "it is asked no more for that");
      assert.equal(first.health.isOpen, false);
      assert.deepEqual(it.down, []);
      assert.equal(await served(it, members, asked({ messages: [hello] })), "first");
      await it.clock.advance(8_000);
      assert.equal(await served(it, members, special), "first", "after its rest it is tried again");
      assert.equal(await served(it, members, special), "first");
    });

  test("a member that is the only one is asked all the same", async () => {
    const it = script();
    const only = it.member("only", [refused, refused, refused, answered()]);
    for (let turn = 0; turn < 3; turn++) assert.equal(await served(it, [only], odd[0]![1]), "failed");
    assert.equal(await served(it, [only], odd[0]![1]), "only");
  });

  test("at plain requests it takes the member down, as before", async () => {
    const it = script();
    const first = it.member("first", [refused]);
    const members = [first, it.member("second", [answered()])];
    for (let turn = 0; turn < 2; turn++) await served(it, members, asked({ messages: [hello] }));
    assert.equal(first.health.isOpen, true);
  });

  test("at one of several models it takes that model, at a second one the member", async () => {
    const it = script();
    const first = it.member("first", [refused], { models: ["big", "small", "other"] });
    const second = it.member("second", [answered()]);
    const at = (model: string) =>
      asked(
        { messages: [hello] },
        { choices: [first, second].map((member) => ({ member, model: member === first ? model : "m" })) },
      );
    for (let turn = 0; turn < 4; turn++) assert.equal(await served(it, [first, second], at("big")), "second");
    assert.equal(first.health.isOpen, false);
    assert.equal(it.names().filter((name) => name === "first").length, 2);
    for (let turn = 0; turn < 2; turn++) await served(it, [first, second], at("small"));
    assert.equal(first.health.isOpen, false);
    for (let turn = 0; turn < 2; turn++) await served(it, [first, second], at("other"));
    assert.equal(first.health.isOpen, true, "three models fail: it is the server");
  });
});

test("what says that the server is down counts at every kind of request", async () => {
  for (const reply of [
    json({ error: { message: "x" } }, 502),
    json({ error: { message: "x" } }, 503),
    json({ error: { message: "x", code: 503 } }),
    json({ error: { message: "x", type: "overloaded_error" } }, 500),
    { failed: "unreachable" } as const,
  ]) {
    const it = script();
    const first = it.member("first", [reply]);
    for (let turn = 0; turn < 2; turn++)
      await served(it, [first, it.member("second", [answered()])], odd[1]![1]);
    assert.equal(first.health.isOpen, true);
  }
});

test("an ordinary conversation is plain, in every client API", () => {
  const it = script();
  const members = [it.member("m", [])];
  const plain = [
    { role: "system", content: "Be brief." },
    hello,
    { role: "assistant", content: "Hi" },
    hello,
  ];
  assert.equal(requestKind(call(members, "chat", asked({ messages: plain }))), "");
  const body = { messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }], max_tokens: 5 };
  assert.equal(requestKind(call(members, "chat", asked(body))), "");
  assert.equal(requestKind(call(members, "embeddings", asked({ input: "x" }))), "embeddings");
});
