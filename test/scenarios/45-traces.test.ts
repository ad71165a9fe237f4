// Spans of AI calls: a collector sees who was asked and what became of it, a caller's trace goes on to the members, and no
// collector, however it fails, is noticed by a caller.

import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { systemRandom } from "#runtime/random.ts";
import { openTracing } from "#runtime/tracing/open-tracing.ts";
import type { SamplerName } from "#runtime/tracing/tracing.ts";
import { begins, fails, openaiPeer, says } from "../http/openai-peer.ts";
import { memberOf, type PoolOptions, pooled } from "../http/pooled.ts";
import { memoryLog } from "../log.ts";
import { type CollectedSpan, openCollector } from "../runtime/tracing/collector.ts";

const messages = [{ role: "user", content: "A private question" }];
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

/** A system that leaves spans at `url`. */
async function traced(input: PoolOptions, url: string, sampler: SamplerName = "parentbased_always_on") {
  const clock = movableClock();
  const log = memoryLog();
  const tracing = await openTracing(
    { url: `${url}/v1/traces`, sampler, ratio: 1 },
    { clock, random: systemRandom(), log },
  );
  return { ...(await pooled(input, { clock, settings: { tracing } })), tracing, traceLog: log };
}

/** Their outcomes, by member. */
const attemptsOf = (spans: readonly CollectedSpan[]) =>
  spans
    .filter(({ kind }) => kind === 3)
    .map(({ attributes }) => [attributes["trunkline.member"], attributes["trunkline.attempt.outcome"]]);
const callsOf = (spans: readonly CollectedSpan[]) => spans.filter(({ kind }) => kind === 2);

test("a call that fails over: its span below the caller's, one below it for each attempt, and each member under its own", async () => {
  const [collector, primary, backup] = [
    await openCollector(),
    await openaiPeer(fails(503)),
    await openaiPeer(),
  ];
  const members = [memberOf(primary), memberOf(backup, { name: "backup", models: ["llama"], priority: 2 })];
  const it = await traced({ members }, collector.url);
  try {
    const headers = { authorization: `Bearer ${it.key}`, traceparent, tracestate: "shop=1" };
    const reply = await it.ask("/chat/completions", { body: { messages }, headers });
    assert.equal(reply.status, 200);
    await it.it.clock.advance(1_000);
    await collector.received(primary.asked.length + 2);
    const { spans } = collector;
    const [call] = callsOf(spans);
    assert.deepEqual(
      [call?.name, call?.traceId, call?.parentSpanId],
      ["chat assistants", traceId, "00f067aa0ba902b7"],
    );
    assert.equal(call?.attributes["trunkline.call"], reply.headers.get("x-request-id"));
    assert.equal(call?.attributes["gen_ai.provider.name"], "openai");
    assert.equal(call?.attributes["trunkline.member"], "backup");
    const attempts = spans.filter(({ kind }) => kind === 3);
    assert.ok(attempts.every((one) => one.parentSpanId === call?.spanId && one.traceId === traceId));
    const [failed] = attempts;
    const won = attempts.at(-1);
    assert.deepEqual(failed?.status.code, 2);
    assert.equal(failed?.attributes["http.response.status_code"], 503);
    assert.equal(failed?.attributes["error.type"], "upstream_error");
    assert.equal(won?.name, "chat llama");
    assert.equal(won?.attributes["server.address"], "127.0.0.1");
    assert.equal(won?.attributes["server.port"], Number(new URL(backup.url).port));
    assert.equal(won?.attributes["gen_ai.response.id"], "chatcmpl-1");
    assert.deepEqual(won?.attributes["gen_ai.response.finish_reasons"], ["stop"]);
    assert.equal(won?.attributes["gen_ai.usage.input_tokens"], 9);
    const sent = [...primary.asked, ...backup.asked].map((asked) => asked.headers.traceparent);
    assert.deepEqual(
      sent,
      attempts.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
    );
    assert.equal(backup.asked[0]?.headers.tracestate, "shop=1");
    const bytes = JSON.stringify(collector.posts);
    for (const secret of [it.key, "sk-upstream", "private question", "Hello from the provider", "It failed"])
      assert.ok(!bytes.includes(secret), secret);
    assert.equal(it.tracing.dropped(), 0);
  } finally {
    await it.close();
    await Promise.all([collector.close(), primary.close(), backup.close()]);
  }
});

test("a stream ends its spans with its last byte, or when the caller leaves", async () => {
  const [collector, peer] = [await openCollector(), await openaiPeer(says("One two three."))];
  const it = await traced({ members: [memberOf(peer)] }, collector.url);
  try {
    const body = { messages, stream: true, stream_options: { include_usage: true } };
    const whole = await it.ask("/chat/completions", { body });
    assert.match(whole.text, /\[DONE\]/);
    await it.it.clock.advance(1_000);
    await collector.received(2);
    const stream = collector.spans.find(({ kind }) => kind === 3);
    assert.equal(stream?.attributes["gen_ai.request.stream"], true);
    assert.deepEqual(stream?.attributes["gen_ai.response.finish_reasons"], ["stop"]);
    assert.equal(stream?.attributes["gen_ai.usage.output_tokens"], 3);
    assert.equal(typeof stream?.attributes["gen_ai.response.time_to_first_chunk"], "number");

    peer.answer((asked) => begins(asked)('data: {"choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n'));
    const left = request({
      host: "127.0.0.1",
      port: it.port,
      method: "POST",
      path: "/api/ai/v1/chat/completions",
    });
    left.setHeader("authorization", `Bearer ${it.key}`);
    left.setHeader("content-type", "application/json");
    left.on("error", () => {});
    left.end(JSON.stringify(body));
    await new Promise<void>((resolve) =>
      left.on("response", (response) => response.once("data", () => resolve())),
    );
    left.destroy();
    await peer.asked.at(-1)?.left;
    await it.it.clock.advance(1_000);
    await collector.received(4);
    assert.deepEqual(attemptsOf(collector.spans).at(-1), ["primary", "aborted"]);
    const call = callsOf(collector.spans).at(-1);
    assert.equal(call?.attributes["http.response.status_code"], 499);
    assert.equal(call?.attributes["error.type"], "cancelled");
    assert.equal(call?.status.code ?? 0, 0);
  } finally {
    await it.close();
    await Promise.all([collector.close(), peer.close()]);
  }
});

test("a call that a limit refuses, one from the cache, and one that its caller's trace does not sample", async () => {
  const [collector, peer] = [await openCollector(), await openaiPeer()];
  const it = await traced(
    {
      members: [memberOf(peer)],
      cache: { ttl_s: 60 },
      keys: [{ name: "app", limits: { requests_per_minute: 3 } }],
    },
    collector.url,
  );
  try {
    const ask = (headers = {}) =>
      it.ask("/chat/completions", {
        body: { messages },
        headers: { authorization: `Bearer ${it.key}`, ...headers },
      });
    assert.equal((await ask()).status, 200);
    assert.equal((await ask()).headers.get("x-service-pool-cache"), "hit");
    const unsampled = { traceparent: `00-${traceId}-00f067aa0ba902b7-00`, "cache-control": "no-cache" };
    assert.equal((await ask(unsampled)).status, 200);
    assert.equal((await ask()).status, 429);
    await it.it.clock.advance(1_000);
    await collector.received(4);
    const calls = callsOf(collector.spans).map(({ attributes }) => attributes);
    assert.deepEqual(
      calls.map((one) => [one["http.response.status_code"], one["trunkline.reused"], one["error.type"]]),
      [
        [200, undefined, undefined],
        [200, "cache", undefined],
        [429, undefined, "requests"],
      ],
    );
    assert.equal(attemptsOf(collector.spans).length, 1);
    // The member hears that the trace is not sampled, from a span of its own.
    const sent = String(peer.asked[1]?.headers.traceparent);
    assert.match(sent, new RegExp(`^00-${traceId}-.{16}-00$`));
    assert.notEqual(sent, unsampled.traceparent);
  } finally {
    await it.close();
    await Promise.all([collector.close(), peer.close()]);
  }
});

test("a collector that is gone, fails or hangs: calls are answered, lost spans are counted, and the log has one line", async () => {
  const collector = await openCollector();
  const peer = await openaiPeer();
  try {
    for (const fault of ["fails", "hangs", "gone"] as const) {
      collector.answer((response) => (fault === "fails" ? response.writeHead(500).end("no") : null));
      // Port 9 of this machine takes no connections.
      const it = await traced(
        { members: [memberOf(peer)] },
        fault === "gone" ? "http://127.0.0.1:9" : collector.url,
      );
      for (let call = 0; call < 3; call++) {
        assert.equal((await it.ask("/chat/completions", { body: { messages } })).status, 200, fault);
        await it.it.clock.advance(1_000);
      }
      await it.close();
      assert.equal(it.tracing.dropped(), 6, fault);
      assert.deepEqual(
        it.traceLog.lines().map(({ event }) => event),
        ["trace.spans_dropped"],
        fault,
      );
      assert.deepEqual(
        it.it.log.lines().filter(({ level }) => level === "warn"),
        [],
        fault,
      );
    }
  } finally {
    await Promise.all([collector.close(), peer.close()]);
  }
});

test("the metrics say how many spans were dropped, where spans are made at all", async () => {
  const peer = await openaiPeer();
  const name = "trunkline_trace_spans_dropped_total";
  const [with_, without] = [
    await traced({ members: [memberOf(peer)] }, "http://127.0.0.1:9"),
    await pooled({ members: [memberOf(peer)] }),
  ];
  try {
    const metricsOf = async (it: { it: typeof without.it }) => await it.it.system.core.metrics.text();
    assert.match(await metricsOf(with_), new RegExp(`^${name} 0$`, "m"));
    assert.ok(!(await metricsOf(without)).includes(name));
  } finally {
    await Promise.all([with_.close(), without.close()]);
    await peer.close();
  }
});
