// Thoughts without a signature, of an endpoint that is shaped like Anthropic's, in the middle of a loop of tools: their maker gets
// them back word for word, and Claude, which refuses them, never gets them.

import assert from "node:assert/strict";
import test from "node:test";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { fieldsIn } from "#providers/translate/json.ts";
import { json, type Reply, type Script, script } from "../scripted-members.ts";
import { call, run } from "./chain-calls.ts";

const unsigned = { type: "thinking", thinking: "The weather is wanted." };
const signed = { type: "thinking", thinking: "So it is.", signature: "c2lnbmVk" };
const use = (id: string) => ({ type: "tool_use", id, name: "weather", input: {} });
const result = (id: string) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: "sunny" }],
});
const message = (content: readonly object[]) =>
  json({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: "tool_use",
    usage: { input_tokens: 3, output_tokens: 5 },
  });

const memberOf = (it: Script, name: string, model: string, replies: readonly Reply[]) =>
  it.member(name, replies, {
    provider: anthropic,
    models: [model],
    settings: anthropic.settings.parse({ api_key: "key", base_url: `http://${name}.test` }),
  });

const bodyOf = (turns: readonly object[]) => ({
  max_tokens: 9_000,
  thinking: { type: "enabled", budget_tokens: 2_048 },
  tools: [{ name: "weather", input_schema: { type: "object", properties: {} } }],
  messages: [{ role: "user", content: "Hi" }, ...turns],
});

function ask(it: Script, members: Parameters<typeof call>[0], turns: readonly object[]) {
  const body = bodyOf(turns);
  const text = JSON.stringify(body);
  const api = createMessagesRequest({ text, body, headers: {} }, "stem");
  return run(it, call(members, "chat", { text, body, api, pool: { params: "adapt" } }));
}

/** The thoughts in the last request that went out. */
const thoughtsSent = (it: Script) => {
  const { messages } = JSON.parse(String(it.asked.at(-1)?.request.body));
  return fieldsIn(messages)
    .flatMap(({ content }) => fieldsIn(content))
    .filter(({ type }) => type === "thinking");
};

const makers = [
  ["unsigned", unsigned],
  ["with an empty signature", { ...unsigned, signature: "" }],
  ["without a text", { type: "thinking", thinking: "" }],
] as const;

for (const [what, thought] of makers) {
  test(`${what}: a failover to Claude goes without, and names what is missing`, async () => {
    const it = script();
    const glm = memberOf(it, "glm", "glm-5", [message([thought, use("c1")])]);
    const claude = memberOf(it, "claude", "claude-sonnet-4-5", [message([signed, use("c2")])]);
    const first = await ask(it, [glm], []);
    assert.equal(first.kind, "answer");
    const turns = [{ role: "assistant", content: [thought, use("c1")] }, result("c1")];
    const second = await ask(it, [claude], turns);
    assert.ok(second.kind === "answer");
    assert.deepEqual(thoughtsSent(it), []);
    assert.deepEqual(second.won.adapted, ["messages"]);
    // The turn began without thoughts of its own.
    assert.deepEqual(JSON.parse(String(it.asked.at(-1)?.request.body)).thinking, { type: "disabled" });
  });

  test(`${what}: Claude goes without them also where another process knows their maker`, async () => {
    const it = script();
    const claude = memberOf(it, "claude", "claude-sonnet-4-5", [message([signed, use("c2")])]);
    const turns = [{ role: "assistant", content: [signed, thought, use("c1")] }, result("c1")];
    assert.equal((await ask(it, [claude], turns)).kind, "answer");
    assert.deepEqual(thoughtsSent(it), [signed]);
  });

  test(`${what}: their maker gets them back as they were`, async () => {
    const it = script();
    const glm = memberOf(it, "glm", "glm-5", [message([thought, use("c1")]), message([thought, use("c2")])]);
    assert.equal((await ask(it, [glm], [])).kind, "answer");
    const turns = [{ role: "assistant", content: [thought, use("c1")] }, result("c1")];
    assert.equal((await ask(it, [glm], turns)).kind, "answer");
    assert.deepEqual(thoughtsSent(it), [thought]);
  });
}

test("a server that refuses them under another name is asked once more without", async () => {
  const it = script();
  const error = {
    type: "invalid_request_error",
    message: "messages.1.content.0.thinking.signature: Field required",
  };
  const refusal = json({ type: "error", error }, 400);
  const hidden = memberOf(it, "hidden", "sonnet", [refusal, message([signed, use("c2")])]);
  const turns = [{ role: "assistant", content: [unsigned, use("c1")] }, result("c1")];
  assert.equal((await ask(it, [hidden], turns)).kind, "answer");
  assert.equal(it.asked.length, 2);
  assert.deepEqual(thoughtsSent(it), []);
});
