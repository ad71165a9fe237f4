// Spans that leave this process, as the rest of the program sees them: OpenTelemetry's own interface of a tracer. The packages
// that make and send them are loaded where an operator names a collector, and nowhere else.

import type { Tracer } from "@opentelemetry/api";

/** By their names in OpenTelemetry's specification. */
export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof samplerNames)[number];

export interface TraceSettings {
  /** Where batches of spans are posted to. */
  url: string;
  sampler: SamplerName;
  /** The share of a `traceidratio` sampler, 0 to 1. */
  ratio: number;
}

export interface Tracing {
  tracer: Tracer;
  /** Spans that were made and did not reach the collector. */
  dropped(): number;
  /** Sends what waits, for 5 s at most. */
  stop(): Promise<void>;
}
