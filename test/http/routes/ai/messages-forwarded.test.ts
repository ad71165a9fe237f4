// The official `@anthropic-ai/sdk`, unmodified, against a listening server: over a member that speaks
// Anthropic's format, to which requests are forwarded.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { anthropicEvent, anthropicMessage, claudeOf, speaksAnthropic } from "../../anthropic-peer.ts";
import { openaiPeer, type Peer, replies } from "../../openai-peer.ts";
import { type Pooled, pooled } from "../../pooled.ts";

let claude: Peer;
let it: Pooled;
let made = 0;
let client: Anthropic;
before(async () => {
  claude = await openaiPeer();
  it = await pooled({ members: [claudeOf(claude)] });
});
after(async () => {
  await it?.close();
  await claude?.close();
});
const clientOf = () =>
  new Anthropic({ baseURL: it.baseUrl.replace(/\/v1$/, ""), apiKey: it.key, maxRetries: 0 });
const poolWith = async (...members: object[]) => {
  await it.pool({ name: `pool-${made++}`, members: members as never });
  client = clientOf();
};
const messages = [{ role: "user" as const, content: "Hello!" }];
const model = "claude-opus-5-5";

describe("forwarded to a member that speaks Anthropic's format", () => {
  beforeEach(async () => {
    claude.answer(speaksAnthropic);
    await poolWith(claudeOf(claude, { models: ["claude-served"] }));
  });

  test("a message: the body as it came, the client's betas and version, the member's key", async () => {
    const { data, response } = await client.messages
      .create(
        {
          model,
          max_tokens: 100,
          system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
          messages,
        },
        {
          headers: {
            "anthropic-beta": "one-2025-01-01,two-2026-02-02",
            "x-claude-code-session-id": "s1",
            cookie: "a=b",
          },
        },
      )
      .withResponse();
    assert.equal(data.model, model);
    assert.equal(data.id, "msg_upstream1");
    assert.deepEqual(data.content, [{ type: "text", text: "Hello from Claude." }]);
    assert.equal(response.headers.get("x-service-pool-model"), "claude-served");
    assert.equal(response.headers.get("x-service-pool-adapted"), null);
    const asked = claude.asked.at(-1)!;
    assert.equal(asked.path, "/v1/messages");
    assert.equal(asked.headers["x-api-key"], "sk-ant-api03-upstream-0123456789abcdef");
    assert.equal(asked.headers["anthropic-beta"], "one-2025-01-01,two-2026-02-02");
    assert.equal(asked.headers["anthropic-version"], "2026-10-21");
    assert.equal(asked.headers["x-claude-code-session-id"], "s1");
    assert.equal(asked.headers.cookie, undefined);
    assert.equal(asked.headers.authorization, undefined);
    assert.deepEqual(asked.body, {
      model: "claude-served",
      max_tokens: 100,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages,
    });
  });

  test("the member's own betas are asked for too", async () => {
    const settings = { ...claudeOf(claude).settings, headers: { "anthropic-beta": "own-2026-03-03, one" } };
    await poolWith(claudeOf(claude, { settings }));
    await client.messages.create(
      { model, max_tokens: 9, messages },
      { headers: { "anthropic-beta": "one,two" } },
    );
    assert.equal(claude.asked.at(-1)!.headers["anthropic-beta"], "one,two,own-2026-03-03");
  });

  test("bytes that a parser would change arrive as they were sent", async () => {
    const text = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"\\u00e9"}],"x":1e400,"big":12345678901234567890,"context_management":{"edits":[-0]}}`;
    const reply = await it.ask("/messages?beta=true", {
      body: text,
      headers: { "anthropic-version": "2023-06-01" },
    });
    assert.equal(reply.status, 200);
    assert.equal(claude.asked.at(-1)!.text, text.replace('"m"', '"claude-served"'));
  });

  test("a stream: every event, known or not, with its name; signed thoughts and calls intact", async () => {
    const stream = client.messages.stream({ model, max_tokens: 100, messages });
    const final = await stream.finalMessage();
    assert.equal(final.model, model);
    assert.equal(final.stop_reason, "tool_use");
    assert.deepEqual(
      final.content.map((block) => ({ ...block })),
      [
        { type: "thinking", thinking: "A file is wanted.", signature: "c2lnbmVk/+0=" },
        { type: "text", text: "I will create it." },
        { type: "tool_use", id: "toolu_hello_1", name: "Bash", input: { command: "ls" } },
      ],
    );
    const raw = await it.ask("/messages", { body: { model, max_tokens: 9, messages, stream: true } });
    assert.match(raw.text, /event: a_new_event\ndata: \{"type":"a_new_event","more":true\}\n\n/);
    assert.match(raw.text, /"unknown_field":"12345678901234567890"/);
    assert.match(
      raw.text,
      /event: message_stop\ndata: \{"type":"message_stop","service_pool":\{[^{}]*\}\}\n\n$/,
    );
  });

  test("thoughts that another vendor's model had are not sent to Anthropic", async () => {
    await client.messages.create({
      model,
      max_tokens: 9,
      messages: [
        ...messages,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "trunkline-unsigned" },
            { type: "text", text: "Hi" },
          ],
        },
        { role: "user", content: "Go on." },
      ],
    });
    const sent = claude.asked.at(-1)!.body.messages as { content: unknown }[];
    assert.deepEqual(sent[1]!.content, [{ type: "text", text: "Hi" }]);
  });

  test("tokens are counted by the member, and cost nothing of the key's limits", async () => {
    await it.pool({
      name: `pool-${made++}`,
      members: [claudeOf(claude)] as never,
      keys: [{ name: "narrow", limits: { requests_per_minute: 1, concurrency: 1 } }] as never,
    });
    client = clientOf();
    const counts = await Promise.all(
      Array.from({ length: 25 }, () => client.messages.countTokens({ model, messages })),
    );
    assert.deepEqual(new Set(counts.map(({ input_tokens }) => input_tokens)), new Set([42]));
    assert.equal((await client.messages.create({ model, max_tokens: 9, messages })).type, "message");
  });

  test("a 400 keeps the vendor's words, in Anthropic's shape", async () => {
    claude.answer(
      replies(400, {
        type: "error",
        error: { type: "invalid_request_error", message: "messages.1.role: unknown role" },
      }),
    );
    const failed = await client.messages.create({ model, max_tokens: 9, messages }).catch((error) => error);
    assert.ok(failed instanceof Anthropic.BadRequestError);
    const body = failed.error as { type: string; error: { type: string; message: string } };
    assert.equal(body.type, "error");
    assert.deepEqual(body.error, {
      type: "invalid_request_error",
      message: "messages.1.role: unknown role",
    });
  });

  test("a stream that is cut ends with an `overloaded_error` and without `message_stop`", async () => {
    claude.answer(({ response, body }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        anthropicEvent({ type: "message_start", message: { ...anthropicMessage(body.model, []) } }) +
          anthropicEvent({
            type: "content_block_start",
            index: 0,
            content_block: { type: "text", text: "" },
          }) +
          anthropicEvent({
            type: "content_block_delta",
            index: 0,
            delta: { type: "text_delta", text: "Half" },
          }),
        () => response.destroy(),
      );
    });
    const raw = await it.ask("/messages", { body: { model, max_tokens: 9, messages, stream: true } });
    assert.match(raw.text, /event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error"/);
    assert.ok(!raw.text.includes("message_stop"));
  });
});
