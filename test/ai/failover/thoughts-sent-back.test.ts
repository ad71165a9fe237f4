// Signed and sealed thoughts of translated answers, which the client sends back: to the member that had them they go as its
// own, every other member is asked without.

import assert from "node:assert/strict";
import test from "node:test";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import type { Member } from "#ai/pools/member.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { anthropicEvents, anthropicMessage } from "../../http/anthropic-peer.ts";
import { upstreamResponse } from "../../http/responses-peer.ts";
import { answered, json, type Reply, type Script, script, streamed } from "../scripted-members.ts";
import { call, run } from "./chain-calls.ts";

type Fields = Record<string, unknown>;

const signedThought = { type: "thinking", thinking: "A file is wanted.", signature: "c2lnbmVk/+0=" };
const tool = { name: "Bash", parameters: { type: "object", properties: {} } };
const tools = [{ type: "function", function: tool }];

const claude = (it: Script, replies: readonly Reply[]) =>
  it.member("claude", replies, {
    provider: anthropic,
    models: ["claude-sonnet-4-5"],
    settings: anthropic.settings.parse({ api_key: "key", base_url: "http://claude.test" }),
  });
/** It is asked at its Responses API for everything with tools. */
const openai = (it: Script, replies: readonly Reply[]) =>
  it.member("openai", replies, {
    models: ["gpt-6"],
    settings: openaiCompatible.settings.parse({
      base_url: "http://openai.test/v1",
      responses: false,
      tools_over: "responses",
    }),
  });

/** What the client gets, whole or as the events of a stream, as JSON. */
async function answerTo(
  it: Script,
  members: readonly Member[],
  api: ApiRequest,
  request: Fields,
): Promise<{ text: string; from: string; adapted: readonly string[] }> {
  const text = JSON.stringify(request);
  const mode = request.stream === true ? "buffered" : "chat";
  const result = await run(it, call(members, mode, { text, body: request, api, pool: { params: "adapt" } }));
  assert.ok(result.kind === "answer" || result.kind === "buffered", JSON.stringify(result));
  const { won } = result;
  const rules = {
    model: "asked",
    created: 1,
    served: { provider: won.choice.member.name, model: "m", latency_ms: 1, attempts: 1 },
    promptTokens: 1,
  };
  const writer = api.writer(rules, won.forwarded);
  const written =
    result.kind === "answer"
      ? api.answer(result.text, won.forwarded, rules)
      : result.chunks.map((chunk) => writer.chunk(chunk)).join("") + writer.done();
  return { text: written, from: won.choice.member.name, adapted: won.adapted };
}

const bodies = (it: Script) => it.asked.map(({ request }) => JSON.parse(String(request.body)) as Fields);
const dataIn = (text: string): Fields[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as Fields);

const chat = (body: Fields) =>
  new ChatCompletionsRequest({ text: JSON.stringify(body), body, includeUsage: false });
const responses = (body: Fields) =>
  createResponsesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem", 1);
const messages = (body: Fields) =>
  createMessagesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem");

const called = { type: "tool_use", id: "toolu_hello_1", name: "Bash", input: { command: "ls" } };
const claudeAnswer = json(anthropicMessage("claude", [signedThought, called], "tool_use"));

test("chat completions: Claude gets its thoughts back, under either name, and goes on thinking between calls of tools", async () => {
  for (const name of ["reasoning_details", "thinking_blocks"]) {
    const it = script();
    const member = claude(it, [claudeAnswer]);
    const first: Fields = { messages: [{ role: "user", content: "hi" }], tools, reasoning_effort: "high" };
    const { text } = await answerTo(it, [member], chat(first), first);
    const { message } = (JSON.parse(text) as { choices: [{ message: Fields }] }).choices[0];
    const { content, role, tool_calls } = message;
    const spoken = { role, content, tool_calls, [name]: message[name] };
    const result = { role: "tool", tool_call_id: "toolu_hello_1", content: "a.txt" };
    const second = { ...first, messages: [{ role: "user", content: "hi" }, spoken, result] };
    await answerTo(it, [member], chat(second), second);
    const sent = bodies(it)[1] as { messages: Fields[]; thinking: Fields };
    assert.deepEqual(sent.messages[1]?.content, [signedThought, called]);
    assert.equal(sent.thinking.type, "enabled");
  }
});

test("chat completions: another member is asked without the thoughts that it did not have", async () => {
  const it = script();
  const first: Fields = { messages: [{ role: "user", content: "hi" }], tools };
  const member = claude(it, [claudeAnswer, json({ type: "error", error: { type: "api_error" } }, 500)]);
  const other = it.member("other", [answered()]);
  const { text } = await answerTo(it, [member, other], chat(first), first);
  const { message } = (JSON.parse(text) as { choices: [{ message: Fields }] }).choices[0];
  const result = { role: "tool", tool_call_id: "toolu_hello_1", content: "a.txt" };
  const second = { ...first, messages: [{ role: "user", content: "hi" }, message, result] };
  const { from, adapted } = await answerTo(it, [member, other], chat(second), second);
  assert.deepEqual([from, adapted], ["other", ["messages"]]);
  const [, spoken] = (bodies(it).at(-1) as { messages: Fields[] }).messages;
  assert.deepEqual([spoken?.reasoning_details, spoken?.thinking_blocks], [undefined, undefined]);
  assert.equal(spoken?.reasoning_content, undefined);
});

for (const stream of [false, true])
  test(`Responses: Claude's signed thoughts are a sealed item that comes back to it (stream: ${stream})`, async () => {
    const it = script();
    const member = claude(it, [stream ? streamed(...anthropicEvents("claude")) : claudeAnswer]);
    const input: Fields[] = [{ role: "user", content: "hi" }];
    const first: Fields = {
      model: "m",
      input,
      stream,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "high" },
      tools: [{ type: "function", ...tool }],
    };
    const { text } = await answerTo(it, [member], responses(first), first);
    const whole = stream ? (dataIn(text).at(-1)?.response as Fields) : (JSON.parse(text) as Fields);
    const output = whole.output as Fields[];
    assert.deepEqual(
      output.map(({ type }) => type),
      stream ? ["reasoning", "message", "function_call"] : ["reasoning", "function_call"],
    );
    const result = { type: "function_call_output", call_id: "toolu_hello_1", output: "a.txt" };
    const second: Fields = { ...first, input: [...input, ...output, result] };
    await answerTo(it, [member], responses(second), second);
    const sent = bodies(it)[1] as { messages: { content: Fields[] }[]; thinking: Fields };
    assert.deepEqual(sent.messages[1]?.content[0], signedThought);
    assert.equal(sent.thinking.type, "enabled");
    const bare: Fields = { ...first, include: [] };
    const unasked = await answerTo(it, [member], responses(bare), bare);
    assert.ok(!unasked.text.includes("encrypted_content"));
  });

test("Responses: what Claude signed is not sent to OpenAI as its own", async () => {
  const it = script();
  const member = claude(it, [claudeAnswer]);
  const first: Fields = { model: "m", input: "hi", include: ["reasoning.encrypted_content"] };
  const { text } = await answerTo(it, [member], responses(first), first);
  const { output } = JSON.parse(text) as { output: Fields[] };
  const native = it.member("native", [json(upstreamResponse("m"))], {
    settings: openaiCompatible.settings.parse({ base_url: "http://native.test/v1", responses: true }),
  });
  const second: Fields = { ...first, input: [{ role: "user", content: "hi" }, ...output] };
  await answerTo(it, [native], responses(second), second);
  const sent = bodies(it).at(-1) as { input: Fields[] };
  assert.deepEqual(
    sent.input.map(({ type, role }) => type ?? role),
    ["user", "function_call"],
  );
});

const reasoned = { type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" };

for (const stream of [false, true])
  test(`tools over Responses: sealed reasoning is kept from turn to turn at both APIs (stream: ${stream})`, async () => {
    const answer = { type: "function_call", call_id: "call_ls_1", name: "Bash", arguments: "{}" };
    const events = [
      { type: "response.created", response: upstreamResponse("m", { output: [] }) },
      { type: "response.output_item.done", output_index: 0, item: { ...reasoned, id: "rs_1" } },
      { type: "response.output_item.added", output_index: 1, item: { ...answer, arguments: "" } },
      { type: "response.output_item.done", output_index: 1, item: answer },
      { type: "response.completed", response: upstreamResponse("m", { output: [reasoned, answer] }) },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const reply = stream ? streamed(...events) : json(upstreamResponse("m", { output: [reasoned, answer] }));

    const it = script();
    const member = openai(it, [reply]);
    const first: Fields = { messages: [{ role: "user", content: "hi" }], tools, stream };
    const chatted = await answerTo(it, [member], chat(first), first);
    const details = stream
      ? dataIn(chatted.text).flatMap(
          ({ choices }) => (choices as { delta?: Fields }[])[0]?.delta?.reasoning_details ?? [],
        )
      : (JSON.parse(chatted.text) as { choices: [{ message: Fields }] }).choices[0].message.reasoning_details;
    const spoken = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_ls_1", type: "function", function: { name: "Bash", arguments: "{}" } }],
      reasoning_details: details,
    };
    const result = { role: "tool", tool_call_id: "call_ls_1", content: "a.txt" };
    const second = { ...first, messages: [...(first.messages as Fields[]), spoken, result] };
    await answerTo(it, [member], chat(second), second);

    const asked: Fields = {
      model: "m",
      max_tokens: 99,
      stream,
      thinking: { type: "adaptive" },
      tools: [{ name: "Bash", input_schema: { type: "object" } }],
      messages: [{ role: "user", content: "hi" }],
    };
    const { text } = await answerTo(it, [member], messages(asked), asked);
    const blocks: Fields[] = [];
    if (!stream) blocks.push(...(JSON.parse(text) as { content: Fields[] }).content);
    else
      for (const { type, content_block: block, index, delta } of dataIn(text) as Fields[]) {
        if (type === "content_block_start") blocks.push(block as Fields);
        const own = blocks[index as number];
        if (type === "content_block_delta" && own)
          own.signature = (delta as Fields).signature ?? own.signature;
      }
    assert.deepEqual(
      blocks.map(({ type }) => type),
      ["thinking", "tool_use"],
    );
    const back = {
      ...asked,
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: blocks },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_ls_1", content: "a.txt" }] },
      ],
    };
    await answerTo(it, [member], messages(back), back);
    const sent = bodies(it) as { input: Fields[]; include: string[] }[];
    for (const at of [1, 3]) {
      assert.deepEqual(sent[at]?.input[1], reasoned);
      assert.deepEqual(
        sent[at]?.input.map(({ type }) => type),
        ["message", "reasoning", "function_call", "function_call_output"],
      );
      assert.deepEqual(sent[at]?.include, ["reasoning.encrypted_content"]);
    }
  });
