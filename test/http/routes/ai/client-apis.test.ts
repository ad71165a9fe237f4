// POST /api/ai/v1/chat/completions over a real provider: what goes through, what changes, and what is refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chatReply } from "#contract/ai/chat-shapes.ts";
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

let primary: Peer;
let second: Peer;
let it: Pooled;
before(async () => {
  primary = await openaiPeer();
  second = await openaiPeer(says("From the second."));
  it = await pooled({
    members: [memberOf(primary), memberOf(second, { name: "second", models: ["gpt-4o"], priority: 2 })],
  });
});
after(async () => {
  await it?.close();
  await Promise.all([primary?.close(), second?.close()]);
});

const messages = [{ role: "user", content: "Hello" }];
const path = "/chat/completions";

interface Frame {
  model?: string;
  service_pool?: { provider: string; attempts: number };
  usage?: unknown;
  error?: Record<string, unknown>;
  choices?: { delta: { content?: string }; finish_reason: string | null }[];
}
const framesOf = (text: string) =>
  text
    .split("\n\n")
    .filter((one) => one.startsWith("data: {"))
    .map((one) => JSON.parse(one.slice(6)) as Frame);

test("numbers, escapes and unknown fields go through both ways, letter by letter", async () => {
  const kept = '"seed":12345678901234567890,"z":-0,"text":"\\u00e9\\ud800","mine":{"a":[1e400,1.0]}';
  primary.answer(({ response }) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "set-cookie": "a=b",
      "openai-organization": "org",
    });
    response.end(
      `{"id":"x","object":"chat.completion","created":1,"model":"gpt-4o-mini-2024","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],${kept}}`,
    );
  });
  const { status, text, headers } = await it.ask(path, {
    body: `{"messages":[{"role":"user","content":"Hello"}],${kept}}`,
  });
  assert.equal(status, 200);
  assert.ok(text.includes(kept), text);
  assert.ok(primary.asked.at(-1)!.text.includes(kept), primary.asked.at(-1)!.text);
  assert.equal(headers.get("set-cookie"), null);
  assert.equal(headers.get("openai-organization"), null);
  assert.equal(headers.get("content-length"), String(Buffer.byteLength(text)));
  assert.match(text, /"model":"assistants"/);
  assert.equal(primary.asked.at(-1)!.body.model, "gpt-4o-mini");
});

test("the answer has the documented shape", async () => {
  primary.answer(says("Hello."));
  chatReply.parse((await it.ask(path, { body: { messages } })).json);
});

test("a stream: its headers, one name in every chunk, who served it in the last before [DONE]", async () => {
  primary.answer(says("One two three."));
  const { status, text, headers } = await it.ask(path, { body: { messages, stream: true } });
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(headers.get("content-length"), null);
  assert.equal(headers.get("x-accel-buffering"), "no");
  assert.match(headers.get("x-request-id") ?? "", /^req_/);
  assert.equal(headers.get("x-service-pool-provider"), "primary");
  assert.ok(text.endsWith("\n\ndata: [DONE]\n\n"));
  const frames = framesOf(text);
  assert.deepEqual(new Set(frames.map(({ model }) => model)), new Set(["assistants"]));
  assert.deepEqual(
    frames.map((frame) => "service_pool" in frame),
    frames.map((_, at) => at === frames.length - 1),
  );
  assert.equal(frames.at(-1)?.service_pool?.provider, "primary");
  assert.equal(frames.at(-1)?.choices?.[0]?.finish_reason, "stop");
  assert.ok(frames.every(({ usage }) => usage == null));
});

test("a failure before the first word is seen by no client: the second answers, and the call is recorded", async () => {
  for (const stream of [false, true]) {
    await it.pool({ name: "assistants" });
    primary.answer(fails(503));
    const { status, headers, text, json } = await it.ask(path, { body: { messages, stream } });
    assert.equal(status, 200);
    assert.equal(headers.get("x-service-pool-provider"), "second");
    assert.equal(headers.get("x-service-pool-model"), "gpt-4o");
    assert.equal(headers.get("x-service-pool-attempts"), "2");
    const served = stream ? framesOf(text).at(-1)?.service_pool : (json as Frame).service_pool;
    assert.equal(served?.provider, "second");
    assert.equal(served?.attempts, 2);
    primary.answer(says("Well again."));
    await it.it.clock.advance(60_000);
  }
});

test("a stream that is cut has an error with who was tried, and no [DONE]", async () => {
  primary.answer((asked) => {
    begins(asked)(delta(asked.body.model, { content: "Half" }));
    setImmediate(() => asked.response.destroy());
  });
  second.answer(says("Never."));
  const { text } = await it.ask(path, { body: { messages, stream: true, model: "gpt-4o-mini" } });
  const last = framesOf(text).at(-1);
  assert.deepEqual(Object.keys(last?.error ?? {}), ["message", "type", "param", "code"]);
  assert.equal(last?.service_pool?.provider, "primary");
  assert.doesNotMatch(text, /\[DONE\]|"finish_reason":"/);
});

test("the usage chunk comes where it was asked for, and is the last with who served", async () => {
  primary.answer(says("Hello."));
  await it.it.clock.advance(60_000);
  const { text } = await it.ask(path, {
    body: { messages, stream: true, model: "gpt-4o-mini", stream_options: { include_usage: true } },
  });
  const frames = framesOf(text);
  assert.deepEqual(frames.at(-1)?.choices, []);
  assert.equal(frames.at(-1)?.service_pool?.provider, "primary");
  assert.equal(frames.filter((frame) => "service_pool" in frame).length, 1);
});

test("a provider's error for the caller is passed on, completed to its four fields", async () => {
  primary.answer(replies(400, { error: { message: "Too hot." } }));
  const { status, json } = await it.ask(path, { body: { messages, model: "gpt-4o-mini" } });
  assert.equal(status, 400);
  const { error, service_pool } = json as unknown as { error: Record<string, unknown>; service_pool: object };
  assert.equal(error.message, "Too hot.");
  assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"]);
  assert.ok("provider" in service_pool);
});

test("what a caller says of upstreams is not listened to", async () => {
  primary.answer((asked) => replies(200, completionOf(asked.body.model, { content: "Hi" }))(asked));
  const before = primary.asked.length;
  const { status } = await it.ask(path, {
    body: { messages, model: "gpt-4o-mini", base_url: second.url, api_base: second.url },
    headers: { "x-portkey-custom-host": second.url, "x-host": second.url, "openai-organization": "mine" },
  });
  assert.equal(status, 200);
  assert.equal(primary.asked.length, before + 1);
  assert.equal(primary.asked.at(-1)!.headers["openai-organization"], undefined);
  assert.equal(primary.asked.at(-1)!.headers["x-host"], undefined);
});

test("a chunk that is finished at once is a whole stream", async () => {
  primary.answer((asked) => {
    asked.response.writeHead(200, { "content-type": "text/event-stream" });
    asked.response.write(delta(asked.body.model, { role: "assistant", content: "All." }));
    finishes(asked);
  });
  const { text } = await it.ask(path, { body: { messages, stream: true, model: "gpt-4o-mini" } });
  assert.equal(
    framesOf(text)
      .map(({ choices }) => choices?.[0]?.delta.content ?? "")
      .join(""),
    "All.",
  );
  assert.ok(text.endsWith("data: [DONE]\n\n"));
});

test("faults of the request ask no member", async () => {
  const before = primary.asked.length + second.asked.length;
  for (const body of ["{", "[]", "{}", '{"messages":[]}', '{"messages":[{}],"model":"a","model":"b"}']) {
    const { status, json } = await it.ask(path, { body });
    assert.equal(status, 400, body);
    assert.deepEqual(Object.keys((json as { error?: object }).error ?? {}), [
      "message",
      "type",
      "param",
      "code",
    ]);
  }
  assert.equal(primary.asked.length + second.asked.length, before);
});
