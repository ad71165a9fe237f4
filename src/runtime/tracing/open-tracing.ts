// Connects what makes spans, keeps them and sends them.

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { version } from "#runtime/program.ts";
import type { Clock, Log, Random } from "#runtime/runtime.ts";
import { Collector } from "./collector.ts";
import { otlpBody } from "./otlp.ts";
import { samplerOf } from "./sampler.ts";
import { SpanQueue } from "./span-queue.ts";
import { createTracer } from "./tracer.ts";
import type { TraceSettings, Tracing } from "./tracing.ts";

/** The collector is first contacted when there are spans. Throws if a PEM file cannot be read. */
export async function openTracing(
  settings: TraceSettings,
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
): Promise<Tracing> {
  const { url, sampler, ratio, headers = {}, timeoutMs = 10_000, gzip = false, resource = {} } = settings;
  const pems = Object.entries(settings.tls ?? {}).map(async ([name, path]) => [
    name,
    await readFile(path, "utf8"),
  ]);
  const tls = Object.fromEntries(await Promise.all(pems));
  const collector = new Collector(
    { url, headers: { "user-agent": `Trunkline/${version}`, ...headers }, timeoutMs, gzip, tls },
    { clock, random },
  );
  const named = {
    "service.name": "trunkline",
    "service.version": version,
    "service.instance.id": randomUUID(),
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.name": "trunkline",
    "telemetry.sdk.version": version,
    ...resource,
  };
  const sender = {
    send: (spans: Parameters<typeof otlpBody>[0]) => collector.send(otlpBody(spans, named, version)),
    close: () => collector.close(),
  };
  const queue = new SpanQueue(sender, { clock, log });
  return {
    tracer: createTracer({
      clock,
      random,
      sampler: samplerOf(sampler, ratio),
      onEnd: (span) => queue.add(span),
    }),
    dropped: () => queue.dropped,
    stop: () => queue.stop(),
  };
}
