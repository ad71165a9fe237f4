// The official `openai` client's Responses API, unmodified, against a listening server: over a member that has it, whose
// bytes are forwarded, and over one that has chat completions alone.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import {
  begins,
  completionOf,
  delta,
  fails,
  finishes,
  openaiPeer,
  type Peer,
  type PeerRequest,
  replies,
  says,
} from "../../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../../pooled.ts";
import { responsesEvents, responsesMemberOf, speaksResponses } from "../../responses-peer.ts";

let peer: Peer;
let it: Pooled;
let made = 0;
let client: OpenAI;
before(async () => {
  peer = await openaiPeer();
  it = await pooled({ members: [memberOf(peer)] });
});
after(async () => {
  await it?.close();
  await peer?.close();
});
const poolWith = async (...members: object[]) => {
  await it.pool({ name: `pool-${made++}`, members: members as never });
  client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
};
const model = "gpt-asked";

describe("forwarded to a member that has the Responses API", () => {
  beforeEach(async () => {
    peer.answer(speaksResponses);
    await poolWith(responsesMemberOf(peer));
  });

  test("an answer: the body as it came but for `model` and `store`; headers of Codex travel", async () => {
    const { data, response } = await client.responses
      .create(
        { model, input: "Hello!", metadata: { a: "b" } },
        { headers: { "session-id": "s1", "x-codex-turn-state": "t", "openai-organization": "org" } },
      )
      .withResponse();
    assert.equal(data.model, model);
    assert.equal(data.output_text, "I will create it.");
    assert.deepEqual((data as unknown as { unknown_field: object }).unknown_field, { kept: true });
    assert.equal(response.headers.get("x-service-pool-model"), "gpt-served");
    assert.equal(response.headers.get("openai-model"), null);
    const asked = peer.asked.at(-1)!;
    assert.equal(asked.path, "/v1/responses");
    assert.deepEqual(asked.body, {
      model: "gpt-served",
      input: "Hello!",
      metadata: { a: "b" },
      store: false,
    });
    assert.equal(asked.headers["session-id"], "s1");
    assert.equal(asked.headers["x-codex-turn-state"], "t");
    assert.equal(asked.headers["openai-organization"], undefined);
    assert.equal(asked.headers.authorization, "Bearer sk-upstream-0123456789abcdef");
  });

  test("a stream: every event, known or not, under the name that was asked for", async () => {
    const text = `{"model":"${model}","stream":true,"store":false,"input":[{"type":"new_item","x":1e400}]}`;
    const reply = await it.ask("/responses", { body: text });
    assert.equal(peer.asked.at(-1)!.text, text.replace(model, "gpt-served"));
    const added = /,"service_pool":\{[^{}]*\}(?=[^\n]*\n\n$)/;
    assert.match(reply.text, added);
    assert.equal(reply.text.replace(added, ""), responsesEvents(model).join(""));
    // OpenAI's own helper throws at events that it does not know; the plain stream passes them on.
    const types: string[] = [];
    for await (const event of await client.responses.create({ model, input: "Hello!", stream: true })) {
      types.push(event.type);
      if (event.type !== "response.completed") continue;
      assert.equal(event.response.usage?.input_tokens_details.cached_tokens, 4);
    }
    assert.ok((types as string[]).includes("response.a_new_event"));
  });

  test("thoughts that are not sealed are taken out", async () => {
    await client.responses.create({
      model,
      input: [
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "sealed" },
        { role: "user", content: "Go on." },
      ],
    });
    const { input } = peer.asked.at(-1)!.body as { input: { id?: string }[] };
    assert.deepEqual(
      input.map(({ id }) => id),
      ["rs_2", undefined],
    );
  });

  test("a stream that is cut ends with `response.failed`, which the client throws", async () => {
    peer.answer(({ response, body }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(responsesEvents(body.model).slice(0, 9).join(""), () => response.destroy());
    });
    const { text } = await it.ask("/responses", { body: { model, input: "Hi", stream: true } });
    assert.match(text, /event: response\.failed\ndata: .*"status":"failed".*"code":"server_error"/);
    assert.ok(!text.includes("response.completed"));
  });

  test("a failing stream moves on to a member with chat completions alone", async () => {
    const other = await openaiPeer(says("From the other."));
    peer.answer(({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        'event: response.failed\ndata: {"type":"response.failed","response":{"error":{"code":"server_error","message":"no"}}}\n\n',
      );
    });
    try {
      await poolWith(responsesMemberOf(peer, { priority: 1 }), memberOf(other, { priority: 2 }));
      const final = await client.responses.stream({ model, input: "Hello!" }).finalResponse();
      assert.equal(final.output_text, "From the other.");
    } finally {
      await other.close();
    }
  });
});

describe("translated for a member with chat completions alone", () => {
  beforeEach(async () => {
    peer.answer(says("Hello from the provider."));
    await poolWith(memberOf(peer));
  });

  test("an answer, a stream, and a schema that is parsed", async () => {
    const whole = await client.responses.create({ model, input: "Hello!", instructions: "Be brief." });
    assert.equal(whole.output_text, "Hello from the provider.");
    assert.match(whole.id, /^resp_[0-9a-z]{20,}$/);
    assert.deepEqual([whole.model, whole.status, whole.usage?.total_tokens], [model, "completed", 12]);
    assert.deepEqual(peer.asked.at(-1)!.body, {
      model: "gpt-4o-mini",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello!" },
      ],
    });
    const texts: string[] = [];
    const stream = client.responses.stream({ model, input: "Hello!" });
    stream.on("response.output_text.delta", ({ delta: text }) => texts.push(text));
    const final = await stream.finalResponse();
    assert.equal(texts.join(""), final.output_text);
    assert.notEqual(final.id, whole.id);
    peer.answer(says('{"name":"Ada"}'));
    const parsed = await client.responses.parse({
      model,
      input: "Who?",
      text: { format: zodTextFormat(z.object({ name: z.string() }), "person") },
    });
    assert.deepEqual(parsed.output_parsed, { name: "Ada" });
  });

  test("calls of all kinds come back as they were defined, streamed and whole", async () => {
    const calls = [
      { name: "plain", arguments: '{"a":1}' },
      { name: "apply_patch", arguments: '{"input":"*** Begin"}' },
      { name: "agents__spawn", arguments: '{"b":2}' },
      { name: "tool_search", arguments: '{"query":"q"}' },
    ];
    peer.answer((request) => {
      const { model: served, stream } = request.body;
      const made = calls.map((call, index) => ({
        index,
        id: `call_number_${index}`,
        type: "function",
        function: call,
      }));
      if (stream !== true)
        return replies(200, completionOf(served, { content: null, tool_calls: made }, "tool_calls"))(request);
      const write = begins(request);
      write(delta(served, { reasoning_content: "Hm." }));
      write(delta(served, { content: "Calling." }));
      for (const call of made) write(delta(served, { tool_calls: [call] }));
      finishes(request, "tool_calls");
    });
    const tools = [
      { type: "function", name: "plain", parameters: { type: "object" }, strict: false },
      {
        type: "custom",
        name: "apply_patch",
        format: { type: "grammar", syntax: "lark", definition: "start: X" },
      },
      {
        type: "namespace",
        name: "agents",
        description: "Agents.",
        tools: [{ type: "function", name: "spawn", parameters: { type: "object" } }],
      },
      { type: "tool_search", execution: "client", description: "Finds.", parameters: { type: "object" } },
      { type: "web_search" },
    ] as never[];
    const expected = [
      { type: "function_call", call_id: "call_number_0", name: "plain", arguments: '{"a":1}' },
      { type: "custom_tool_call", call_id: "call_number_1", name: "apply_patch", input: "*** Begin" },
      {
        type: "function_call",
        call_id: "call_number_2",
        name: "spawn",
        namespace: "agents",
        arguments: '{"b":2}',
      },
      { type: "tool_search_call", call_id: "call_number_3", execution: "client", arguments: { query: "q" } },
    ];
    const bare = (items: readonly object[]) =>
      items.map(({ id: _id, status: _status, ...item }: { id?: string; status?: string }) => item);
    const { data: whole, response } = await client.responses
      .create({ model, input: "Go.", tools })
      .withResponse();
    assert.deepEqual(bare(whole.output), expected);
    assert.equal(response.headers.get("x-service-pool-adapted"), "web_search");
    const { text } = await it.ask("/responses", { body: { model, input: "Go.", tools, stream: true } });
    const events = text
      .split("\n\n")
      .filter((block) => block !== "")
      .map((block) => JSON.parse(block.slice(block.indexOf("data: ") + 6)));
    assert.deepEqual(
      events.map(({ sequence_number: number }) => number),
      events.map((_event, at) => at),
    );
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    assert.deepEqual(bare(done).slice(2), expected);
    const last = events.at(-1);
    assert.equal(last.type, "response.completed");
    assert.deepEqual(last.response.output, done);
    assert.equal(last.response.usage.total_tokens, 12);
  });

  test("a 400 for what refers to something stored, and for hosted state", async () => {
    for (const more of [{ previous_response_id: "resp_1" }, { conversation: "conv_1" }]) {
      const failed = await client.responses.create({ model, input: "Hi", ...more }).catch((error) => error);
      assert.ok(failed instanceof OpenAI.BadRequestError);
      assert.equal(failed.param, Object.keys(more)[0]);
    }
  });

  test("compaction is for members with the Responses API alone", async () => {
    const input = [{ role: "user", content: "Hi" }, { type: "compaction_trigger" }] as never[];
    const failed = await client.responses.create({ model, input }).catch((error) => error);
    assert.ok(failed instanceof OpenAI.BadRequestError);
    assert.match(failed.message, /compaction_trigger/);
  });

  test("errors keep their words and their code", async () => {
    peer.answer(
      fails(400, {
        message: "This model's maximum context length is 8192 tokens.",
        code: "context_length_exceeded",
      }),
    );
    const failed = await client.responses.create({ model, input: "Hi" }).catch((error) => error);
    assert.equal(failed.code, "context_length_exceeded");
    assert.match(failed.message, /maximum context length is 8192/);
  });

  test("an answer that hit its limit is incomplete", async () => {
    peer.answer((request) =>
      replies(200, completionOf(request.body.model, { content: "Half" }, "length"))(request),
    );
    const { status, incomplete_details: why } = await client.responses.create({ model, input: "Hi" });
    assert.deepEqual([status, why], ["incomplete", { reason: "max_output_tokens" }]);
  });
});

describe("headers that go out before a member has answered", () => {
  /** The client's own stream of a call whose member answers `after` the headers went out. */
  const late = async (isNative: boolean, after: (asked: PeerRequest) => unknown) => {
    const slow = await openaiPeer(() => {});
    try {
      await it.pool({
        name: `pool-${made++}`,
        members: [isNative ? responsesMemberOf(slow) : memberOf(slow)] as never,
        headers_after_ms: 1_000,
      });
      client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
      const stream = client.responses.stream({ model, input: "Hello!" });
      const types: string[] = [];
      stream.on("event", ({ type }) => types.push(type));
      const headers = new Promise<void>((resolve) => stream.on("connect", () => resolve()));
      const ended = stream.finalResponse().catch((error: Error) => error);
      const asked = await slow.next();
      await it.it.clock.advance(1_000);
      await headers;
      // A member that says nothing for longer than a sign of life takes.
      await it.it.clock.advance(16_000);
      await after(asked);
      return { final: await ended, types };
    } finally {
      await slow.close();
    }
  };

  for (const isNative of [true, false])
    test(`the client reads what follows; ${isNative ? "forwarded" : "translated"}`, async () => {
      const { final, types } = await late(isNative, (asked) => {
        if (!isNative) return says("Late.")(asked);
        const known = responsesEvents(asked.body.model).filter((text) => !text.includes("a_new_event"));
        asked.response.writeHead(200, { "content-type": "text/event-stream" }).end(known.join(""));
      });
      assert.ok(!(final instanceof Error), String(final));
      assert.equal(final.output_text, isNative ? "I will create it." : "Late.");
      assert.equal(types[0], "response.created");
    });

  test("a failure is one that the client reads as such", async () => {
    const { final, types } = await late(true, fails(400, { message: "No such thing.", code: "nothing" }));
    assert.ok(!(final instanceof Error), String(final));
    assert.deepEqual([final.status, final.error?.message], ["failed", "No such thing."]);
    assert.deepEqual(types, ["response.created", "response.failed"]);
  });
});

test("a WebSocket at this path is 426 with any key, and a plain GET is 405", async () => {
  const socket = connect(it.port, "127.0.0.1");
  socket.write(
    "GET /api/ai/v1/responses HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: x\r\n\r\n",
  );
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  assert.match(bytes.toString(), /^HTTP\/1\.1 426 /);
  assert.equal((await it.ask("/responses")).status, 405);
});
