// Spans as the JSON of OTLP/HTTP. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

import type { Attributes, EndedSpan } from "./tracing.ts";

/** `flags` of a span say with bit 8 that they know whether its parent is of another process, and with bit 9 that it is. */
const knowsParent = 0x100;
const remoteParent = 0x200;
const errorStatus = 2;

/** The body of one request. `resource`: who the spans are from; `version`: Trunkline's. */
export function otlpBody(spans: readonly EndedSpan[], resource: Attributes, version: string): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: listed(resource) },
        scopeSpans: [{ scope: { name: "trunkline", version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf({ context, parent, name, kind, startMs, endMs, attributes, isFailed }: EndedSpan) {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.traceState === undefined ? {} : { traceState: context.traceState }),
    ...(parent === null ? {} : { parentSpanId: parent.spanId }),
    flags: context.traceFlags | knowsParent | (parent?.isRemote ? remoteParent : 0),
    name,
    kind,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: listed(attributes),
    status: isFailed ? { code: errorStatus } : {},
  };
}

/** A number has 53 bits, and a time needs 61: text, as the protocol has it. */
const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

const listed = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: wireValue(value) }));

function wireValue(value: Attributes[string]): object {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  }
}
