// Spans as the rest of the program sees them: OpenTelemetry's own tracer interface. The packages that create and send them are loaded only
// if an operator configures a collector.

import type { Tracer } from "@opentelemetry/api";

/** Named as in OpenTelemetry's specification. */
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
  /** The URL that batches of spans are posted to. */
  url: string;
  sampler: SamplerName;
  /** The share of a `traceidratio` sampler, 0 to 1. */
  ratio: number;
}

export interface Tracing {
  tracer: Tracer;
  /** Spans that did not reach the collector. */
  dropped(): number;
  /** Sends what waits, for 5 s at most. */
  stop(): Promise<void>;
}
