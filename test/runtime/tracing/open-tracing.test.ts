// Spans on their way to a real collector.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { systemRandom } from "#runtime/random.ts";
import { openTracing } from "#runtime/tracing/open-tracing.ts";
import { type SpanContext, spanKind, type TraceSettings } from "#runtime/tracing/tracing.ts";
import { cert, key } from "../../gateways/email/certificate.ts";
import { memoryLog } from "../../log.ts";
import { cert as otherCert } from "../certificate.ts";
import { openCollector } from "./collector.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const caller = (traceFlags: number, more: Partial<SpanContext> = {}): SpanContext => ({
  traceId,
  spanId: "00f067aa0ba902b7",
  traceFlags,
  isRemote: true,
  ...more,
});

async function opened(settings: Partial<TraceSettings> & { url: string }) {
  const clock = movableClock();
  const log = memoryLog();
  const tracing = await openTracing(
    { sampler: "parentbased_always_on", ratio: 1, ...settings },
    { clock, random: systemRandom(), log },
  );
  return { clock, log, tracing };
}

test("spans arrive as JSON with the name of the service; a long attribute is cut", async () => {
  const collector = await openCollector();
  try {
    const { tracing, clock } = await opened({ url: `${collector.url}/v1/traces` });
    const attributes = {
      long: "x".repeat(300),
      list: ["a", "y".repeat(300)],
      tokens: 5,
      cost: 0.25,
      stream: true,
    };
    const parent = caller(1, { traceState: "shop=1" });
    const began = clock.now();
    const span = tracing.tracer.startSpan("chat one", { kind: spanKind.server, attributes }, parent);
    const child = tracing.tracer.startSpan("chat two", { kind: spanKind.client }, span.context);
    await clock.advance(250);
    child.fail();
    child.end();
    child.setAttribute("late", 1);
    child.end();
    span.end();
    await tracing.stop();
    const [inner, outer, ...others] = collector.spans;
    assert.deepEqual(others, []);
    assert.equal(outer?.name, "chat one");
    assert.deepEqual(outer?.attributes, {
      ...attributes,
      long: "x".repeat(256),
      list: ["a", "y".repeat(256)],
    });
    assert.deepEqual(
      [outer.traceId, outer.parentSpanId, outer.kind, outer.status, outer.flags, outer.traceState],
      [traceId, "00f067aa0ba902b7", 2, {}, 0x301, "shop=1"],
    );
    assert.deepEqual(
      [inner?.traceId, inner?.parentSpanId, inner?.kind, inner?.status, inner?.flags, inner?.attributes],
      [traceId, outer.spanId, 3, { code: 2 }, 0x101, {}],
    );
    assert.match(outer.spanId, /^[0-9a-f]{16}$/);
    assert.equal(outer.startTimeUnixNano, `${began}000000`);
    assert.equal(BigInt(outer.endTimeUnixNano) - BigInt(outer.startTimeUnixNano), 250_000_000n);
    const [post] = collector.posts;
    assert.equal(post?.path, "/v1/traces");
    assert.equal(post?.headers["content-type"], "application/json");
    assert.match(String(post?.headers["user-agent"]), /^Trunkline\/\d/);
    assert.equal(collector.resources[0]?.["service.name"], "trunkline");
    assert.match(String(collector.resources[0]?.["service.instance.id"]), /^[0-9a-f-]{36}$/);
    assert.equal(tracing.dropped(), 0);
  } finally {
    await collector.close();
  }
});

test("headers, compression and attributes of the resource are the operator's", async () => {
  const collector = await openCollector();
  try {
    const { tracing } = await opened({
      url: collector.url,
      gzip: true,
      headers: { "x-tenant": "a", "user-agent": "mine" },
      resource: { "service.name": "eu", team: "ai,ml" },
    });
    tracing.tracer.startSpan("chat", { kind: spanKind.server }, null).end();
    await tracing.stop();
    const [post] = collector.posts;
    assert.deepEqual(
      ["content-encoding", "x-tenant", "user-agent"].map((name) => post?.headers[name]),
      ["gzip", "a", "mine"],
    );
    assert.deepEqual(
      [collector.resources[0]?.["service.name"], collector.resources[0]?.team],
      ["eu", "ai,ml"],
    );
    assert.match(collector.spans[0]?.traceId ?? "", /^[0-9a-f]{32}$/);
    assert.equal(collector.spans[0]?.parentSpanId, undefined);
  } finally {
    await collector.close();
  }
});

test("the collector's authority may be a private one, and the client may show a certificate", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-traces-"));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const collector = await openCollector({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true });
  const dropped = async (tls: TraceSettings["tls"] & {}) => {
    const { tracing, clock, log } = await opened({ url: collector.url, tls });
    tracing.tracer.startSpan("chat", { kind: spanKind.server }, null).end();
    let hasStopped = false;
    const stopping = tracing.stop().then(() => {
      hasStopped = true;
    });
    while (!hasStopped) {
      // The batch and the stop have a sleeper each; a third one waits for the next try.
      if (clock.sleeping() > 2) await clock.advance(Math.max(0, (clock.nextDue() ?? 0) - clock.now()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await stopping;
    return { count: tracing.dropped(), reason: log.lines()[0]?.reason };
  };
  try {
    const ca = file("ca.pem", cert);
    const own = { cert: file("cert.pem", cert), key: file("key.pem", key) };
    assert.deepEqual(await dropped({ ca, ...own }), { count: 0, reason: undefined });
    assert.equal(collector.spans.length, 1);
    assert.equal((await dropped({ ca })).count, 1);
    assert.deepEqual(await dropped(own), { count: 1, reason: "its certificate is self-signed" });
    assert.equal((await dropped({ ca: file("other.pem", otherCert), ...own })).count, 1);
    assert.equal(collector.spans.length, 1);
    await assert.rejects(opened({ url: collector.url, tls: { ca: join(folder, "none.pem") } }), /ENOENT/);
  } finally {
    await collector.close();
    rmSync(folder, { recursive: true });
  }
});
