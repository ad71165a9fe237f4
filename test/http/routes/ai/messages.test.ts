// The official `@anthropic-ai/sdk`, unmodified, against a listening server: over members with chat completions
// alone, for which requests are translated.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { unpacked } from "#providers/translate/reasoning-details.ts";
import { claudeOf } from "../../anthropic-peer.ts";
import {
  begins,
  completionOf,
  delta,
  fails,
  finishes,
  openaiPeer,
  type Peer,
  replies,
  says,
} from "../../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../../pooled.ts";

let claude: Peer;
let chat: Peer;
let it: Pooled;
let made = 0;
let client: Anthropic;
before(async () => {
  claude = await openaiPeer();
  chat = await openaiPeer();
  it = await pooled({ members: [claudeOf(claude)] });
});
after(async () => {
  await it?.close();
  await claude?.close();
  await chat?.close();
});
const clientOf = () =>
  new Anthropic({ baseURL: it.baseUrl.replace(/\/v1$/, ""), apiKey: it.key, maxRetries: 0 });
const poolWith = async (...members: object[]) => {
  await it.pool({ name: `pool-${made++}`, members: members as never });
  client = clientOf();
};
const messages = [{ role: "user" as const, content: "Hello!" }];
const model = "claude-opus-5-5";

describe("translated for a member with chat completions alone", () => {
  beforeEach(async () => {
    chat.answer(says("Hello from the provider."));
    await poolWith(memberOf(chat));
  });

  test("the official client has the id of the call: of answers, counts, streams and errors", async () => {
    const body = { model, max_tokens: 64, messages };
    const { _request_id: id } = await client.messages.create(body);
    assert.match(id ?? "", /^req_/);
    const { response } = await client.messages.create(body).withResponse();
    assert.equal(response.headers.get("request-id"), response.headers.get("x-request-id"));
    assert.match((await client.messages.countTokens({ model, messages }))._request_id ?? "", /^req_/);
    const stream = client.messages.stream(body);
    await stream.finalMessage();
    assert.match(stream.request_id ?? "", /^req_/);
    const unknown = client.withOptions({ apiKey: "tlp_wrong" });
    await assert.rejects(unknown.messages.create(body), (error: unknown) => {
      assert.ok(error instanceof Anthropic.AuthenticationError);
      assert.match(error.message, /x-api-key/);
      return /^req_/.test(error.requestID ?? "");
    });
  });

  test("a message", async () => {
    const message = await client.messages.create({ model, max_tokens: 64, messages });
    assert.match(message.id, /^msg_[0-9a-z]{20,}$/);
    assert.equal(message.model, model);
    assert.deepEqual(message.content, [{ type: "text", text: "Hello from the provider." }]);
    assert.equal(message.stop_reason, "end_turn");
    assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [9, 3]);
    const again = await client.messages.create({ model, max_tokens: 64, messages });
    assert.notEqual(again.id, message.id);
    assert.equal(chat.asked.at(-1)!.headers["anthropic-version"], undefined);
  });

  test("a stream with thoughts, text and two calls, which the SDK folds", async () => {
    chat.answer((request) => {
      const { model: served } = request.body;
      const write = begins(request);
      write(delta(served, { reasoning_content: "Think" }));
      write(delta(served, { reasoning_content: "ing." }));
      write(delta(served, { content: "Let me " }));
      write(delta(served, { content: "look." }));
      const call = (index: number, id: string | null, name: string | null, text: string) =>
        delta(served, {
          tool_calls: [
            {
              index,
              ...(id ? { id, type: "function" } : {}),
              function: { ...(name ? { name } : {}), arguments: text },
            },
          ],
        });
      write(call(0, "call_first_1", "Bash", ""));
      write(call(0, null, null, '{"command":'));
      write(call(1, "0", "Read", '{"path":'));
      write(call(0, null, null, '"ls"}'));
      write(call(1, null, null, '"a"}'));
      finishes(request, "tool_calls");
    });
    const stream = client.messages.stream({
      model,
      max_tokens: 2048,
      thinking: { type: "adaptive" },
      messages,
      tools: [{ name: "Bash", input_schema: { type: "object" } }],
    });
    const { content, stop_reason: reason, usage } = await stream.finalMessage();
    const [thoughts] = content;
    const signature = thoughts?.type === "thinking" ? thoughts.signature : "";
    assert.deepEqual(
      unpacked(signature).map(({ text, field }) => [text, field]),
      [["Thinking.", "reasoning_content"]],
    );
    assert.deepEqual(content.map((block) => ({ ...block })).slice(0, 3), [
      { type: "thinking", thinking: "Thinking.", signature },
      { type: "text", text: "Let me look." },
      { type: "tool_use", id: "call_first_1", name: "Bash", input: { command: "ls" } },
    ]);
    const last = content[3] as Anthropic.ToolUseBlock;
    assert.match(last.id, /^toolu_/);
    assert.deepEqual([last.name, last.input], ["Read", { path: "a" }]);
    assert.equal(reason, "tool_use");
    assert.equal(usage.output_tokens, 3);
  });

  test("what Claude Code sends is adapted, and never a 400", async () => {
    const png = "iVBORw0KGgo=";
    const { response } = await client.messages
      .create({
        model,
        max_tokens: 64,
        metadata: { user_id: '{"session_id":"s"}' },
        thinking: { type: "adaptive", display: "updates" },
        context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
        output_config: { effort: "medium" },
        safeguards: { dangerous_tool_use: true },
        system: [
          { type: "text", text: "x-anthropic-billing-header: cc_version=1; cch=2;" },
          { type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } },
        ],
        tools: [
          { name: "Bash", description: "Runs.", input_schema: { type: "object", properties: {} } },
          { name: "Later", input_schema: { type: "object" }, defer_loading: true },
          {
            type: "web_search_20250305",
            name: "web_search",
            max_uses: 8,
          },
        ],
        messages: [
          { role: "user", content: [{ type: "text", text: "Look." }] },
          { role: "system", content: "A reminder.", output_config: { effort: "medium" } },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "…", signature: "c2ln" },
              { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } },
              { type: "tool_use", id: "toolu_2", name: "ToolSearch", input: {} },
            ],
          },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "toolu_1",
                content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }],
              },
              {
                type: "tool_result",
                tool_use_id: "toolu_2",
                content: [{ type: "tool_reference", tool_name: "Later" }],
              },
              { type: "text", text: "Go on." },
            ],
          },
        ],
      } as never)
      .withResponse();
    assert.equal(response.status, 200);
    const adapted = "cache_control, web_search_20250305, context_management, safeguards";
    assert.equal(response.headers.get("x-service-pool-adapted"), adapted);
    const {
      messages: sent,
      tools,
      ...rest
    } = chat.asked.at(-1)!.body as {
      messages: unknown[];
      tools: { function: { name: string } }[];
    } & Record<string, unknown>;
    assert.deepEqual(
      tools.map((tool) => tool.function.name),
      ["Bash", "Later"],
    );
    assert.deepEqual(rest, { model: "gpt-4o-mini", max_tokens: 64, reasoning_effort: "medium" });
    assert.deepEqual(sent, [
      { role: "system", content: "You are an agent." },
      { role: "user", content: "Look." },
      { role: "system", content: "A reminder." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "toolu_1", type: "function", function: { name: "Bash", arguments: '{"command":"ls"}' } },
          { id: "toolu_2", type: "function", function: { name: "ToolSearch", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "toolu_1", content: "(The media of this result follows.)" },
      { role: "tool", tool_call_id: "toolu_2", content: "The tool Later can be called now." },
      {
        role: "user",
        content: [
          { type: "text", text: "From the result of toolu_1:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          { type: "text", text: "Go on." },
        ],
      },
    ]);
  });

  test("a member that refuses an effort is asked without it", async () => {
    chat.answer((request) =>
      request.body.reasoning_effort === undefined
        ? says("Fine.")(request)
        : fails(400, {
            message: "Unsupported parameter: 'reasoning_effort'.",
            type: "invalid_request_error",
            param: "reasoning_effort",
            code: "unsupported_parameter",
          })(request),
    );
    const ask = () =>
      client.messages.create({ model, max_tokens: 9, messages, output_config: { effort: "high" } });
    const before = chat.asked.length;
    assert.equal((await ask()).content.length, 1);
    assert.equal((await ask()).content.length, 1);
    assert.equal(chat.asked.length - before, 3);
  });

  test("a prompt that is too long is reported in Anthropic's words", async () => {
    chat.answer(
      fails(400, {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      }),
    );
    const failed = await client.messages.create({ model, max_tokens: 9, messages }).catch((error) => error);
    assert.equal(failed.status, 400);
    assert.match(failed.message, /prompt is too long: 9001 tokens > 8192 maximum/);
  });

  test("a wrong key is refused at once, and not to be tried again", async () => {
    const unknownKey = new Anthropic({
      baseURL: it.baseUrl.replace(/\/v1$/, ""),
      apiKey: "tlp_wrong",
      maxRetries: 0,
    });
    const failed = await unknownKey.messages
      .create({ model, max_tokens: 9, messages })
      .catch((error) => error);
    assert.ok(failed instanceof Anthropic.AuthenticationError);
    assert.equal(failed.headers.get("x-should-retry"), "false");
    assert.match(failed.requestID ?? "", /^req_/);
  });

  test("tokens are estimated", async () => {
    const { input_tokens: tokens } = await client.messages.countTokens({ model, messages });
    assert.ok(tokens > 0 && tokens < 20);
  });

  test("models are listed for Anthropic's clients", async () => {
    const { data } = await client.models.list({ limit: 1 });
    assert.equal(data.length, 1);
    assert.equal(data[0]!.type, "model");
    assert.equal(data[0]!.display_name, data[0]!.id);
  });

  test("a call moves on from Anthropic to a member of another format", async () => {
    claude.answer(
      replies(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    );
    await poolWith(claudeOf(claude, { priority: 1 }), memberOf(chat, { priority: 2 }));
    const { data, response } = await client.messages
      .create({ model, max_tokens: 9, messages })
      .withResponse();
    assert.equal((data.content[0] as Anthropic.TextBlock).text, "Hello from the provider.");
    assert.equal(response.headers.get("x-service-pool-attempts"), "2");
  });

  test("whole answers with calls have parsed inputs", async () => {
    const tool_calls = [
      {
        id: "call_abcdefgh",
        type: "function",
        function: { name: "f", arguments: '{"id":12345678901234567890}' },
      },
      { id: "call_ijklmnop", type: "function", function: { name: "g", arguments: "{broken" } },
    ];
    chat.answer((request) =>
      replies(200, completionOf(request.body.model, { content: null, tool_calls }, "tool_calls"))(request),
    );
    const raw = await it.ask("/messages", { body: { model, max_tokens: 9, messages } });
    assert.match(raw.text, /"input":\{"id":12345678901234567890\}/);
    assert.match(raw.text, /"input":\{"INVALID_JSON":"\{broken"\}/);
    assert.match(raw.text, /"stop_reason":"tool_use"/);
  });
});
