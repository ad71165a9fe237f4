// A tracer whose spans stay in memory.

import { movableClock } from "#runtime/movable-clock.ts";
import { systemRandom } from "#runtime/random.ts";
import { createTracer } from "#runtime/tracing/tracer.ts";
import type { EndedSpan } from "#runtime/tracing/tracing.ts";

export function memoryTracer() {
  const ended: EndedSpan[] = [];
  return {
    tracer: createTracer({
      clock: movableClock(),
      random: systemRandom(),
      sampler: () => true,
      onEnd: (span) => ended.push(span),
    }),
    /** Those that have ended, in the order of their ends. */
    spans: () =>
      ended.map(({ name, kind, isFailed, attributes, parent }) => ({
        name,
        kind,
        isFailed,
        parent: parent?.spanId ?? null,
        attributes,
      })),
  };
}
