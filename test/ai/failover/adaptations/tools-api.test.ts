// OpenAI's newer models refuse function tools in chat completions, with and without an effort: they are asked at the
// Responses API, or another member is.

import assert from "node:assert/strict";
import test from "node:test";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { responseEvents, wholeResponse, wireOf } from "../../../providers/openai/over-responses/wire.ts";
import { answered, json, type Reply, type Script, script, streamed } from "../../scripted-members.ts";
import { body, call, failureOf, run } from "../chain-calls.ts";

const error = {
  message:
    "Function tools with reasoning_effort are not supported for gpt-6. Please use /v1/responses instead.",
  type: "invalid_request_error",
  param: "reasoning_effort",
  code: null,
};

test("the next member is asked, the effort of other requests stays, and the last one's refusal is the answer", async () => {
  for (const effort of [{}, { reasoning_effort: "high" }]) {
    const it = script();
    const first = it.member("first", [json({ error }, 400), answered()]);
    const asked = { ...body, ...effort, tools: [{ type: "function", function: { name: "f" } }] };
    const withTools = { body: asked, text: JSON.stringify(asked), pool: { params: "adapt" } as const };
    const result = await run(it, call([first, it.member("second", [answered()])], "chat", withTools));
    assert.equal(result.kind === "answer" && result.won.choice.member.name, "second");
    assert.deepEqual(it.names(), ["first", "second"]);
    assert.equal(first.health.availability(it.clock.monotonic()).kind, "up");
    const plain = { ...body, reasoning_effort: "high" };
    await run(it, call([first], "chat", { ...withTools, body: plain, text: JSON.stringify(plain) }));
    assert.equal(JSON.parse(String(it.asked[2]?.request.body)).reasoning_effort, "high");
    const last = failureOf(
      await run(it, call([it.member("third", [json({ error }, 400)])], "chat", withTools)),
    );
    assert.deepEqual([last.status, last.error], [400, error]);
  }
});

const settings = (more: object = {}) =>
  openaiCompatible.settings.parse({ base_url: "http://first.test/v1", responses: true, ...more });
const tools = [
  { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } },
];
const refused = json({ error }, 400);
const overResponses: Reply = streamed(wireOf(responseEvents));
const pathsOf = (it: Script) => it.asked.map(({ request }) => new URL(request.url).pathname);

function asking(more: object = {}, stream = false) {
  const asked = { ...body, tools, ...(stream ? { stream } : {}), ...more };
  return { body: asked, text: JSON.stringify(asked), pool: { params: "adapt" } as const };
}

test("a member with the Responses API is asked there, and from then on at once", async () => {
  const it = script();
  const first = it.member("first", [refused, json(wholeResponse)], { settings: settings() });
  const second = it.member("second", [answered()]);
  for (let turn = 0; turn < 2; turn++) {
    const result = await run(it, call([first, second], "chat", asking()));
    assert.ok(result.kind === "answer" && result.won.choice.member.name === "first");
    const [choice] = JSON.parse(result.text).choices;
    assert.deepEqual(
      choice.message.tool_calls.map(({ function: { name } }: { function: { name: string } }) => name),
      ["read", "list"],
    );
  }
  assert.deepEqual(pathsOf(it), ["/v1/chat/completions", "/v1/responses", "/v1/responses"]);
  const [model] = first.models;
  assert.deepEqual(
    first.health.refused
      .list(it.clock.monotonic())
      .map(({ parameter, value, ...more }) => [more.model, parameter, value]),
    [[model, "tools", '"chat_completions"']],
  );
  assert.deepEqual([first.health.availability(it.clock.monotonic()).kind, it.down], ["up", []]);
  it.asked.length = 0;
  it.member("first", [answered()]);
  await run(it, call([first], "chat", { body, text: JSON.stringify(body) }));
  await run(it, call([first], "chat", asking({ reasoning_effort: "none" })));
  assert.deepEqual(pathsOf(it), ["/v1/chat/completions", "/v1/chat/completions"], "no tools, and no effort");
});

test("streams too, also where a whole answer is asked for as a stream", async () => {
  for (const mode of ["stream", "folded"] as const) {
    const it = script();
    const first = it.member("first", [refused, overResponses], { settings: settings() });
    const result = await run(it, call([first], mode, asking({}, mode === "stream")));
    const sent = JSON.parse(String(it.asked[1]?.request.body));
    assert.deepEqual([sent.stream, sent.tools[0].name], [true, "read"]);
    if (mode === "stream") assert.equal(result.kind, "streaming");
    else
      assert.equal(
        result.kind === "answer" && JSON.parse(result.text).choices[0].message.content,
        "Grüße 🌍",
      );
  }
});

test("Messages with tools are asked there as well, and answered as Messages", async () => {
  const it = script();
  const first = it.member("first", [refused, json(wholeResponse)], { settings: settings() });
  const messages = {
    model: "m",
    max_tokens: 99,
    tools: [{ name: "read", input_schema: { type: "object", properties: {} } }],
    messages: [{ role: "user", content: "Hi" }],
  };
  const text = JSON.stringify(messages);
  const api = createMessagesRequest({ text, body: messages, headers: {} }, "stem");
  const result = await run(it, call([first], "chat", { body: messages, text, api }));
  assert.ok(result.kind === "answer" && !result.won.forwarded);
  const served = { provider: "first", model: "m", attempts: 1, latency_ms: 1 };
  const answer = JSON.parse(
    api.answer(result.text, false, { model: "m", created: 1, served, promptTokens: 1 }),
  );
  assert.deepEqual(
    answer.content.map(({ type, name }: { type: string; name?: string }) => name ?? type),
    ["text", "read", "list"],
  );
  assert.deepEqual([answer.stop_reason, answer.usage.output_tokens], ["tool_use", 40]);
});

test("the setting says where from the first request on", async () => {
  for (const [over, path] of [
    ["responses", "/v1/responses"],
    ["chat_completions", "/v1/chat/completions"],
  ] as const) {
    const it = script();
    const reply = over === "responses" ? json(wholeResponse) : answered();
    const first = it.member("first", [reply], { settings: settings({ tools_over: over }) });
    await run(it, call([first], "chat", asking()));
    assert.deepEqual(pathsOf(it), [path]);
  }
  const it = script();
  const first = it.member("first", [refused], { settings: settings({ tools_over: "chat_completions" }) });
  const last = failureOf(await run(it, call([first], "chat", asking())));
  assert.deepEqual([last.status, it.asked.length], [400, 1]);
});

test("a member without the Responses API is passed over once it is known to refuse tools", async () => {
  const it = script();
  const first = it.member("first", [refused]);
  const members = [first, it.member("second", [answered()])];
  for (let turn = 0; turn < 2; turn++) await run(it, call(members, "chat", asking()));
  assert.deepEqual(it.names(), ["first", "second", "second"]);
});

test("a parameter that the Responses API does not have is named, and the next member is asked", async () => {
  const it = script();
  const first = it.member("first", [], { settings: settings({ tools_over: "responses" }) });
  const result = await run(
    it,
    call([first, it.member("second", [answered()])], "chat", asking({ stop: ["x"] })),
  );
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "second");
  const { error: missing } = failureOf(await run(it, call([first], "chat", asking({ stop: ["x"] }))));
  assert.deepEqual([missing.code, missing.param], ["unsupported_parameter", "stop"]);
});

test("a parameter that the model refuses there is learned under its name in chat completions", async () => {
  const it = script();
  const unsupported = {
    message: "Unsupported parameter: 'temperature' is not supported with this model.",
    type: "invalid_request_error",
    param: "temperature",
    code: "unsupported_parameter",
  };
  const replies = [json({ error: unsupported }, 400), json(wholeResponse)];
  const first = it.member("first", replies, { settings: settings({ tools_over: "responses" }) });
  const result = await run(it, call([first], "chat", asking({ temperature: 0 })));
  assert.deepEqual(result.kind === "answer" && result.won.adapted, ["temperature"]);
});

test("a Responses API that is only documented and is not there: the member takes no tools, and is well", async () => {
  for (const status of [404, 405]) {
    const it = script();
    const documented = openaiCompatible.settings.parse({ vendor: "vllm", base_url: "http://first.test/v1" });
    const missing = json({ error: { message: "Not Found", type: "x", param: null, code: null } }, status);
    const first = it.member("first", [refused, missing, answered()], { settings: documented });
    const second = it.member("second", [answered()]);
    const result = await run(it, call([first, second], "chat", asking()));
    assert.equal(result.kind === "answer" && result.won.choice.member.name, "second");
    assert.deepEqual(pathsOf(it), ["/v1/chat/completions", "/v1/responses", "/v1/chat/completions"]);
    const now = it.clock.monotonic();
    assert.deepEqual([first.health.availability(now, first.models[0]).kind, it.down], ["up", []]);
    assert.equal(first.health.isModelMissing(first.models[0]!, now), false);
    await run(it, call([first, second], "chat", asking()));
    assert.deepEqual(it.names().slice(3), ["second"], "it is not asked with tools again");
    await run(it, call([first], "chat", { body, text: JSON.stringify(body) }));
    assert.deepEqual(it.names().slice(4), ["first"], "without tools it is");
  }
});

test("one that is known by its settings is not taken to be missing", async () => {
  const it = script();
  const missing = json({ error: { message: "Not Found", type: "x", param: null, code: null } }, 404);
  const first = it.member("first", [refused, missing], { settings: settings() });
  failureOf(await run(it, call([first], "chat", asking())));
  assert.equal(first.health.missingApis.has(first.models[0]!, "responses", it.clock.monotonic()), false);
});
