// The official `openai` client, unmodified, against a listening server: what works with OpenAI works with a pool.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
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
} from "./openai-peer.ts";
import { memberOf, type Pooled, pooled } from "./pooled.ts";

let peer: Peer;
let it: Pooled;
let client: OpenAI;
before(async () => {
  peer = await openaiPeer();
  it = await pooled({
    members: [memberOf(peer, { models: ["gpt-4o-mini", "openai/gpt-4o"], embedding_models: ["embed"] })],
  });
});
beforeEach(async () => {
  // A pool of its own for each test: no member's health is another test's.
  await it.pool({
    name: `pool-${made++}`,
    members: [memberOf(peer, { models: ["gpt-4o-mini", "openai/gpt-4o"], embedding_models: ["embed"] })],
  });
  client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
  peer.answer(says("Hello from the provider."));
});
after(async () => {
  await it?.close();
  await peer?.close();
});
let made = 0;
const messages = [{ role: "user" as const, content: "Hello!" }];
const model = "gpt-4o-mini";

test("a completion, with who served it", async () => {
  const { data, response } = await client.chat.completions
    .create({ model, messages, seed: 7 })
    .withResponse();
  assert.equal(data.choices[0]?.message.content, "Hello from the provider.");
  assert.equal(data.model, `pool-${made - 1}`);
  assert.equal(data.usage?.total_tokens, 12);
  const { service_pool: served } = data as typeof data & { service_pool: Record<string, unknown> };
  assert.equal(served.provider, "primary");
  assert.equal(served.model, model);
  assert.equal(served.attempts, 1);
  assert.equal(response.headers.get("x-service-pool-provider"), "primary");
  assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
  const asked = peer.asked.at(-1)!;
  assert.equal(asked.body.seed, 7);
  assert.equal(asked.headers.authorization, "Bearer sk-upstream-0123456789abcdef");
  assert.doesNotMatch(JSON.stringify(asked.headers), new RegExp(it.key));
});

test("a stream: every word, one finish, the usage where it is asked for", async () => {
  for (const asked of [false, true]) {
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      ...(asked ? { stream_options: { include_usage: true } } : {}),
    });
    let text = "";
    const finishes: string[] = [];
    const models = new Set<string>();
    let usage: unknown = null;
    let last: object = {};
    for await (const chunk of stream) {
      last = chunk;
      models.add(chunk.model);
      text += chunk.choices[0]?.delta.content ?? "";
      if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason);
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, "Hello from the provider.");
    assert.deepEqual(finishes, ["stop"]);
    assert.deepEqual([...models], [`pool-${made - 1}`]);
    assert.equal((usage as { total_tokens: number } | null)?.total_tokens, asked ? 12 : undefined);
    assert.equal((last as { service_pool: { attempts: number } }).service_pool.attempts, 1);
  }
});

const tools = ["weather", "time"].map((name) => ({
  type: "function" as const,
  function: { name, parameters: { type: "object", properties: { city: { type: "string" } } } },
}));

test("two tools at once, streamed, and a second round with their answers", async () => {
  peer.answer((request) => {
    const conversation = request.body.messages as { role: string; content: string }[];
    if (conversation.at(-1)?.role === "tool") return says("12 degrees at noon.")(request);
    const write = begins(request);
    const call = (index: number, fields: object) =>
      write(delta(request.body.model, { tool_calls: [{ index, ...fields }] }));
    call(0, { id: "call_a", type: "function", function: { name: "weather", arguments: "" } });
    call(1, { id: "call_b", type: "function", function: { name: "time", arguments: "" } });
    for (const part of ['{"ci', 'ty":"Köln"}']) {
      call(0, { function: { arguments: part } });
      call(1, { function: { arguments: part } });
    }
    finishes(request, "tool_calls");
  });
  const runner = client.chat.completions.stream({ model, messages, tools, parallel_tool_calls: true });
  const first = (await runner.finalChatCompletion()).choices[0]!;
  assert.equal(first.finish_reason, "tool_calls");
  assert.deepEqual(
    first.message.tool_calls?.map((call) => [call.id, call.type === "function" && call.function.arguments]),
    [
      ["call_a", '{"city":"Köln"}'],
      ["call_b", '{"city":"Köln"}'],
    ],
  );
  const answers = ["call_a", "call_b"].map((id) => ({
    role: "tool" as const,
    tool_call_id: id,
    content: "12",
  }));
  const second = await client.chat.completions
    .stream({ model, messages: [...messages, first.message, ...answers], tools })
    .finalChatCompletion();
  assert.equal(second.choices[0]?.message.content, "12 degrees at noon.");
  const sent = peer.asked.at(-1)!.body.messages as { tool_calls?: { id: string }[] }[];
  assert.deepEqual(
    sent[1]?.tool_calls?.map(({ id }) => id),
    ["call_a", "call_b"],
  );
});

test("the tool runner goes its rounds by itself", async () => {
  peer.answer((request) => {
    const { body } = request;
    const conversation = body.messages as { role: string; content: string }[];
    const last = conversation.at(-1)!;
    if (last.role === "tool")
      return replies(200, completionOf(body.model, { content: `It is ${last.content}.` }))(request);
    const call = {
      id: "call_a",
      type: "function",
      function: { name: "weather", arguments: '{"city":"Bonn"}' },
    };
    replies(200, completionOf(body.model, { content: null, tool_calls: [call] }, "tool_calls"))(request);
  });
  const runner = client.chat.completions.runTools({
    model,
    messages,
    tools: [
      {
        type: "function",
        function: {
          name: "weather",
          description: "The weather",
          parameters: { type: "object" },
          parse: JSON.parse,
          function: ({ city }: { city: string }) => `sunny in ${city}`,
        },
      },
    ],
  });
  assert.equal(await runner.finalContent(), "It is sunny in Bonn.");
});

test("structured output: the schema arrives, and the answer is parsed", async () => {
  const shape = z.object({ city: z.string(), degrees: z.number() });
  peer.answer(says('{"city":"Bonn","degrees":12}'));
  const parsed = await client.chat.completions.parse({
    model,
    messages,
    response_format: zodResponseFormat(shape, "weather"),
  });
  assert.deepEqual(parsed.choices[0]?.message.parsed, { city: "Bonn", degrees: 12 });
  const format = peer.asked.at(-1)!.body.response_format as { type: string; json_schema: { name: string } };
  assert.equal(format.type, "json_schema");
  assert.equal(format.json_schema.name, "weather");
});

test("embeddings, in the form that the client asks for", async () => {
  const vector = [0.5, -0.25, 1];
  peer.answer((request) => {
    const base64 = Buffer.from(new Float32Array(vector).buffer).toString("base64");
    const data = [
      {
        object: "embedding",
        index: 0,
        embedding: request.body.encoding_format === "base64" ? base64 : vector,
      },
    ];
    replies(200, {
      object: "list",
      data,
      model: request.body.model,
      usage: { prompt_tokens: 1, total_tokens: 1 },
    })(request);
  });
  const { data, response } = await client.embeddings
    .create({ model: "embed", input: "Hello" })
    .withResponse();
  assert.deepEqual([...(data.data[0]?.embedding ?? [])], vector);
  assert.equal(data.model, "embed");
  assert.equal((data as typeof data & { service_pool: { model: string } }).service_pool.model, "embed");
  assert.equal(response.headers.get("x-service-pool-provider"), "primary");
});

test("models: the list, and one by its id, slashes and all", async () => {
  const ids: string[] = [];
  for await (const one of client.models.list()) ids.push(one.id);
  assert.deepEqual(ids, [`pool-${made - 1}`, "gpt-4o-mini", "openai/gpt-4o", "embed"]);
  for (const id of ids) assert.equal((await client.models.retrieve(id)).id, id);
  const plain = await it.ask("/models/openai/gpt-4o");
  assert.equal((plain.json as { id?: unknown }).id, "openai/gpt-4o");
  await assert.rejects(client.models.retrieve("none/has-it"), (error) => {
    assert.ok(error instanceof OpenAI.NotFoundError);
    assert.equal(error.code, "model_not_found");
    assert.equal(error.param, "model");
    return true;
  });
});

for (const [status, upstream, kind, seen, code] of [
  [
    400,
    { type: "invalid_request_error", param: "temperature", code: "bad" },
    OpenAI.BadRequestError,
    400,
    "bad",
  ],
  [422, { type: "invalid_request_error" }, OpenAI.UnprocessableEntityError, 422, undefined],
  [
    401,
    { type: "invalid_request_error", code: "invalid_api_key" },
    OpenAI.InternalServerError,
    502,
    "provider_denied",
  ],
  [429, { type: "requests", code: "rate_limit_exceeded" }, OpenAI.RateLimitError, 429, "rate_limit_exceeded"],
  [503, {}, OpenAI.InternalServerError, 503, undefined],
] as const) {
  test(`a provider's ${status} is the client's ${kind.name}, ${seen}`, async () => {
    peer.answer(fails(status, upstream, status === 429 ? { "retry-after": "120" } : {}));
    for (const stream of [false, true]) {
      await assert.rejects(client.chat.completions.create({ model, messages, stream }), (error) => {
        assert.ok(error instanceof kind, String(error));
        assert.ok(error instanceof OpenAI.APIError);
        assert.equal(error.status, seen);
        const body = error.error as Record<string, unknown>;
        assert.deepEqual(Object.keys(body).sort(), ["code", "message", "param", "type"]);
        if (code !== undefined) assert.equal(error.code, code);
        assert.match(String(error.requestID), /^req_/);
        return true;
      });
    }
  });
}

test("a wrong key is an AuthenticationError", async () => {
  const unknownKey = client.withOptions({ apiKey: "tlp_nobody" });
  await assert.rejects(unknownKey.models.list(), OpenAI.AuthenticationError);
  await assert.rejects(unknownKey.chat.completions.create({ model, messages }), (error) => {
    assert.ok(error instanceof OpenAI.AuthenticationError);
    assert.equal(error.code, "invalid_api_key");
    return true;
  });
});

test("a stream that breaks off is an error, not an end", async () => {
  peer.answer((request) => {
    const write = begins(request);
    write(delta(request.body.model, { content: "Half" }));
    setImmediate(() => request.response.destroy());
  });
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  let text = "";
  await assert.rejects(async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  }, OpenAI.APIError);
  assert.equal(text, "Half");
});

test("stopping in the middle of a stream stops the provider", async () => {
  peer.answer((request) => {
    begins(request)(delta(request.body.model, { content: "Half" }));
  });
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  for await (const _ of stream) break;
  await peer.asked.at(-1)!.left;
});

test("limits are sent on success, and refused as the client knows it", async () => {
  await it.pool({
    name: `pool-${made - 1}`,
    keys: [{ name: "two", limits: { requests_per_minute: 2 } }],
  });
  const limited = client.withOptions({ apiKey: it.key });
  const { response } = await limited.chat.completions.create({ model, messages }).withResponse();
  assert.equal(response.headers.get("x-ratelimit-limit-requests"), "2");
  assert.equal(response.headers.get("x-ratelimit-remaining-requests"), "1");
  assert.match(response.headers.get("x-ratelimit-reset-requests") ?? "", /^(\d+(ms|s|m|h))+$/);
  await limited.chat.completions.create({ model, messages });
  await assert.rejects(limited.chat.completions.create({ model, messages }), (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError);
    assert.equal(error.code, "rate_limit_exceeded");
    assert.equal(error.type, "requests");
    assert.equal(error.headers.get("retry-after"), "30");
    assert.equal(error.headers.get("retry-after-ms"), "30000");
    return true;
  });
});

test("the sandbox: an echo, a stream of it, and a tool that is called", async () => {
  await it.pool({
    name: `pool-${made - 1}`,
    members: [{ name: "box", kind: "sandbox", models: ["echo", "tools"] }],
  });
  const whole = await client.chat.completions.create({ model: "echo", messages });
  assert.equal(whole.choices[0]?.message.content, "Hello!");
  const stream = client.chat.completions.stream({
    model: "echo",
    messages: [{ role: "user", content: "one two" }],
  });
  let over = false;
  const final = stream.finalContent().finally(() => {
    over = true;
  });
  // It speaks by the clock of the system.
  while (!over) {
    await it.it.clock.advance(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await final, "one two");
  const called = await client.chat.completions.create({ model: "tools", messages, tools });
  const call = called.choices[0]?.message.tool_calls?.[0];
  assert.equal(call?.type === "function" && call.function.name, "weather");
  const answer = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "12 degrees" };
  const round = await client.chat.completions.create({
    model: "tools",
    messages: [...messages, called.choices[0]!.message, answer],
    tools,
  });
  assert.equal(round.choices[0]?.finish_reason, "stop");
  assert.match(round.choices[0]?.message.content ?? "", /12 degrees/);
});

test("the sandbox keeps limits, choices and forms, as a demo with this client wants them", async () => {
  await it.pool({ name: `pool-${made - 1}`, members: [{ name: "box", kind: "sandbox", models: ["echo"] }] });
  const short = await client.chat.completions.create({
    model: "echo",
    messages: [{ role: "user", content: "one two three" }],
    max_completion_tokens: 2,
    n: 2,
  });
  assert.deepEqual(
    short.choices.map(({ message, finish_reason }) => [message.content, finish_reason]),
    [
      ["one two ", "length"],
      ["one two ", "length"],
    ],
  );
  const place = z.object({ city: z.string(), days: z.array(z.object({ degrees: z.int().min(3) })) });
  const parsed = await client.chat.completions.parse({
    model: "echo",
    messages,
    response_format: zodResponseFormat(place, "place"),
  });
  assert.deepEqual(parsed.choices[0]?.message.parsed, { city: "example", days: [{ degrees: 3 }] });
  const object = await client.chat.completions.create({
    model: "echo",
    messages,
    response_format: { type: "json_object" },
  });
  assert.deepEqual(JSON.parse(object.choices[0]?.message.content ?? ""), { echo: "Hello!" });
});
