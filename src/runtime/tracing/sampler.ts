// Which traces a collector sees. https://opentelemetry.io/docs/specs/otel/trace/sdk/#built-in-samplers

import type { SamplerName, SpanContext } from "./tracing.ts";

/** Bit 0 of the trace flags. */
export const sampledFlag = 1;

/** Whether a span of this trace is sent; `parent`: null at the root of a trace. */
export type Sampler = (traceId: string, parent: SpanContext | null) => boolean;

export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const root = rootOf(name.replace("parentbased_", ""), ratio);
  if (!name.startsWith("parentbased_")) return root;
  return (traceId, parent) =>
    parent === null ? root(traceId, parent) : (parent.traceFlags & sampledFlag) !== 0;
}

function rootOf(name: string, ratio: number): Sampler {
  if (name === "always_on") return () => true;
  if (name === "always_off") return () => false;
  const bound = ratio * 2 ** 32;
  return (traceId) => folded(traceId) < bound;
}

/** As OpenTelemetry's package for JavaScript does it, so that services with one ratio sample the same traces: four words of 32 bits. */
function folded(traceId: string): number {
  let sum = 0;
  for (let at = 0; at < 32; at += 8) sum ^= Number.parseInt(traceId.slice(at, at + 8), 16);
  return sum >>> 0;
}
