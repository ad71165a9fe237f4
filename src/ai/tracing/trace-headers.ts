// The headers of W3C Trace Context, and the position in a trace that they identify. https://www.w3.org/TR/trace-context/

import type { SpanContext } from "#runtime/tracing/tracing.ts";

type Headers = Readonly<Record<string, string>>;

/** The caller's span, by headers that `readCaller` let through; null if the caller names none. */
export function spanOfCaller(headers: Headers | null | undefined): SpanContext | null {
  const { traceparent, tracestate } = headers ?? {};
  const [, traceId, spanId, flags] = traceparent?.split("-") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: tracestate }),
  };
}

/** The headers of a request that belongs to a span, replacing those in `others`. */
export function headersWithin(span: SpanContext, others: Headers | null | undefined): Headers {
  const { traceparent, tracestate, ...kept } = others ?? {};
  return {
    ...kept,
    traceparent: `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`,
    ...(span.traceState === undefined ? {} : { tracestate: span.traceState }),
  };
}
