// A customer with an OpenAI client: the sandbox of the first start, a pool of two providers of which one dies, keys
// with limits, strict models, and the day on which everybody is down.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { fails, openaiPeer, type Peer, says } from "../http/openai-peer.ts";
import { memberOf, type Pooled, pooled, type Reply } from "../http/pooled.ts";
import { inject } from "../inject.ts";

const messages = [{ role: "user", content: "Hello there" }];
const chat = (it: Pooled, more: object = {}, key = it.key) =>
  it.ask("/chat/completions", { body: { messages, ...more }, headers: { authorization: `Bearer ${key}` } });

interface Completion {
  model: string;
  choices: { message: { content: string } }[];
  service_pool: { provider: string; model: string; attempts: number; latency_ms: number };
}
const completionOf = ({ json }: Reply) => json as unknown as Completion;
const errorOf = ({ json }: Reply) => (json as unknown as { error: Record<string, unknown> }).error;

test("the first start: one key of each kind, a sandbox that echoes, and neither key is valid for the other API", async () => {
  const fresh: Harness = await harness();
  try {
    const keys = await fresh.system.createDefaultAccount();
    assert.ok(keys);
    const ask = (key: string, model?: string) =>
      inject(fresh.system.app, {
        method: "POST",
        url: "/api/ai/v1/chat/completions",
        headers: { authorization: `Bearer ${key}` },
        payload: { messages, ...(model ? { model } : {}) },
      });
    const reply = await ask(keys.poolKey);
    assert.equal(reply.statusCode, 200);
    const body = reply.json<Completion>();
    assert.equal(body.model, "default");
    assert.equal(body.choices[0]?.message.content, "Hello there");
    assert.equal(body.service_pool.provider, "sandbox");
    assert.equal(body.service_pool.model, "echo");
    const models = await inject(fresh.system.app, {
      url: "/api/ai/v1/models",
      headers: { authorization: `Bearer ${keys.poolKey}` },
    });
    assert.deepEqual(
      models.json<{ data: { id: string }[] }>().data.map(({ id }) => id),
      ["default", "echo", "slow", "failing", "cut", "tools"],
    );
    assert.equal((await ask(keys.apiKey)).statusCode, 401);
    const sms = await inject(fresh.system.app, {
      method: "POST",
      url: "/api/sms/send",
      headers: { "api-key": keys.poolKey },
      payload: { contact: [{ number: "+15550000001", message: "Hi" }] },
    });
    assert.equal(sms.statusCode, 403);
    assert.deepEqual(sms.json(), { status: "error", error: "Invalid Api Key" });
    const failing = await ask(keys.poolKey, "failing");
    assert.equal(failing.statusCode, 503);
    assert.equal(failing.json<Completion>().service_pool.model, "failing");
  } finally {
    await fresh.close();
  }
});

let primary: Peer;
let backup: Peer;
let it: Pooled;
before(async () => {
  primary = await openaiPeer(says("From the primary."));
  backup = await openaiPeer(says("From the backup."));
  it = await pooled({
    members: [memberOf(primary), memberOf(backup, { name: "backup", models: ["llama"], priority: 2 })],
  });
});
after(async () => {
  await it?.close();
  await Promise.all([primary?.close(), backup?.close()]);
});

test("one provider dies and no caller notices: every call is answered, soon without asking the dead one", async () => {
  assert.equal(completionOf(await chat(it)).service_pool.provider, "primary");
  primary.answer(fails(503));
  const before = primary.asked.length;
  for (let call = 0; call < 10; call++) {
    const reply = await chat(it, { stream: call % 2 === 1 });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("x-service-pool-provider"), "backup");
    assert.match(reply.text, /backup/);
  }
  assert.ok(primary.asked.length - before <= 4, `${primary.asked.length - before} requests met it`);
  const list = await it.ask("/models");
  assert.deepEqual(
    (list.json as unknown as { data: { id: string }[] }).data.map(({ id }) => id),
    ["assistants", "llama"],
  );
});

test("it comes back, and is asked again", async () => {
  primary.answer(says("From the primary."));
  await it.it.clock.advance(60_000);
  for (let call = 0; ; call++) {
    assert.ok(call < 100, "the primary is not asked again");
    if (completionOf(await chat(it)).service_pool.provider === "primary") break;
  }
});

test("the client's request id and trace reach every member that is asked", async () => {
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  primary.answer(fails(503));
  const reply = await it.ask("/chat/completions", {
    body: { messages },
    headers: {
      authorization: `Bearer ${it.key}`,
      "x-client-request-id": "checkout-17",
      traceparent: trace,
      tracestate: "shop=1",
    },
  });
  assert.equal(reply.status, 200);
  assert.notEqual(reply.headers.get("x-request-id"), "checkout-17");
  for (const peer of [primary, backup]) {
    const headers = peer.asked.at(-1)?.headers ?? {};
    assert.deepEqual(
      ["x-client-request-id", "traceparent", "tracestate"].map((name) => headers[name]),
      ["checkout-17", trace, "shop=1"],
    );
    assert.equal(headers.authorization, "Bearer sk-upstream-0123456789abcdef");
  }
  primary.answer(says("From the primary."));
  await it.it.clock.advance(120_000);
});

test("a parameter that the member does not take is left out and named, unless the pool is strict", async () => {
  const param = "temperature";
  primary.answer((request) =>
    (request.body.temperature === undefined
      ? says("Without it.")
      : fails(400, {
          code: "unsupported_parameter",
          message: `Unsupported parameter: '${param}' is not supported with this model.`,
          param,
        }))(request),
  );
  for (const stream of [false, true]) {
    const reply = await chat(it, { temperature: 0.2, stream });
    assert.match(reply.text, /Without /);
    assert.equal(reply.headers.get("x-service-pool-adapted"), "temperature");
    assert.equal(reply.headers.get("x-service-pool-attempts"), "1");
  }
  await it.pool({ params: "strict" });
  await it.it.clock.advance(5_000);
  const strict = await chat(it, { temperature: 0.2 });
  assert.equal(strict.headers.get("x-service-pool-provider"), "backup");
  assert.equal(strict.headers.get("x-service-pool-adapted"), null);
  await it.pool({});
  primary.answer(says("From the primary."));
  await it.it.clock.advance(120_000);
});

test("both are down: an error that says so, in OpenAI's shape, without secrets", async () => {
  primary.answer(fails(500, { message: "Down. Key sk-upstream-0123456789abcdef" }));
  backup.answer(fails(503));
  for (const stream of [false, true]) {
    const reply = await chat(it, { stream });
    assert.ok([502, 503].includes(reply.status), reply.text);
    assert.deepEqual(Object.keys(errorOf(reply)), ["message", "type", "param", "code"]);
    assert.ok(completionOf(reply).service_pool.attempts >= 1);
    assert.doesNotMatch(reply.text, /sk-upstream|127\.0\.0\.1/);
    assert.match(reply.headers.get("x-request-id") ?? "", /^req_/);
  }
  primary.answer(says("From the primary."));
  backup.answer(says("From the backup."));
  await it.it.clock.advance(120_000);
});

test("a key with a limit of three: three go through, the fourth hears when to come back, and then may", async () => {
  const key = await it.pool({ keys: [{ name: "limited", limits: { requests_per_minute: 3 } }] });
  const left: (string | null)[] = [];
  for (let call = 0; call < 3; call++)
    left.push((await chat(it, {}, key)).headers.get("x-ratelimit-remaining-requests"));
  assert.deepEqual(left, ["2", "1", "0"]);
  const refused = await chat(it, {}, key);
  assert.equal(refused.status, 429);
  assert.equal(errorOf(refused).code, "rate_limit_exceeded");
  const wait = Number(refused.headers.get("retry-after"));
  assert.equal(wait, 20);
  await it.it.clock.advance(wait * 1000);
  assert.equal((await chat(it, {}, key)).status, 200);
});

test("a key whose budget is spent gets an answer that says not to try again", async () => {
  const key = await it.pool({ keys: [{ name: "poor", budget: { tokens_per_day: 10 } }] });
  assert.equal((await chat(it, {}, key)).status, 200);
  const refused = await chat(it, {}, key);
  assert.equal(refused.status, 429);
  assert.equal(errorOf(refused).code, "insufficient_quota");
  assert.equal(refused.headers.get("x-should-retry"), "false");
});

test("a key that ends, ends; one that names its models may use no other", async () => {
  const soon = new Date(it.it.clock.now() + 60_000).toISOString();
  const ending = await it.pool({ keys: [{ name: "ending", expires_at: soon }] });
  assert.equal((await chat(it, {}, ending)).status, 200);
  await it.it.clock.advance(60_000);
  assert.equal((await chat(it, {}, ending)).status, 401);
  const narrow = await it.pool({ keys: [{ name: "narrow", models: ["llama"] }] });
  assert.equal(completionOf(await chat(it, {}, narrow)).service_pool.model, "llama");
  const other = await chat(it, { model: "gpt-4o-mini" }, narrow);
  assert.equal(other.status, 404);
  assert.equal(errorOf(other).code, "model_not_found");
});

test("an unknown model means the pool, unless the pool is strict", async () => {
  const key = it.key;
  const loose = await it.pool({});
  assert.equal((await chat(it, { model: "gpt-99" }, loose)).status, 200);
  assert.equal(completionOf(await chat(it, { model: "llama" }, loose)).service_pool.provider, "backup");
  const strict = await it.pool({ strict_models: true });
  const refused = await chat(it, { model: "gpt-99" }, strict);
  assert.equal(refused.status, 404);
  assert.deepEqual([errorOf(refused).code, errorOf(refused).param], ["model_not_found", "model"]);
  for (const model of ["assistants", "llama", null])
    assert.equal((await chat(it, { model }, strict)).status, 200, String(model));
  assert.equal((await chat(it, { model: "llama" }, key)).status, 200);
});

test("storage that takes no writes keeps no caller from an answer", async () => {
  const key = await it.pool({});
  assert.equal((await chat(it, {}, key)).status, 200);
  it.it.storageFault("unavailable");
  try {
    assert.equal((await chat(it, {}, key)).status, 200);
    await it.it.clock.advance(60_000);
    assert.equal((await chat(it, { stream: true }, key)).status, 200);
  } finally {
    it.it.storageFault(null);
  }
});

test("the metrics count calls by their status, and show neither keys nor what a caller says", async () => {
  const key = await it.pool({ keys: [{ name: "counted" }] });
  for (const model of ["canary-1", "canary-2"])
    assert.equal((await chat(it, { model, user: "canary-3" }, key)).status, 200);
  const metrics = await it.it.get("/metrics");
  const lines = metrics.body.split("\n").filter((line) => line.startsWith("trunkline_completions_total"));
  assert.ok(
    lines.some((line) => /^trunkline_completions_total\{status="200"\} \d+$/.test(line)),
    lines.join("\n"),
  );
  assert.ok(lines.every((line) => /^trunkline_completions_total\{status="\d{3}"\} \d+$/.test(line)));
  assert.doesNotMatch(metrics.body, new RegExp(`canary|${key}`));
});
