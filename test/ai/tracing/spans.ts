// A tracer whose spans stay in memory.

import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

export function memoryTracer() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return {
    tracer: provider.getTracer("test"),
    /** Those that have ended, in the order of their ends. */
    spans: () =>
      exporter.getFinishedSpans().map(({ name, kind, status, attributes, parentSpanContext }) => ({
        name,
        kind,
        status: status.code,
        parent: parentSpanContext?.spanId ?? null,
        attributes,
      })),
  };
}
