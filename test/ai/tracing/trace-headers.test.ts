// W3C Trace Context: the caller's place in a trace, and the headers of what lies below it.

import assert from "node:assert/strict";
import test from "node:test";
import { headersWithin, spanOfCaller } from "#ai/tracing/trace-headers.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-03`;

test("the caller's span is read with its sampling and its state; without a traceparent, nothing", () => {
  const span = spanOfCaller({ traceparent, tracestate: "shop=1,other=2" });
  assert.equal(span?.traceState, "shop=1,other=2");
  const { traceState: _, ...plain } = span!;
  assert.deepEqual(plain, { traceId, spanId: "00f067aa0ba902b7", traceFlags: 1, isRemote: true });
  assert.equal(spanOfCaller({ traceparent })?.traceState, undefined);
  assert.equal(spanOfCaller({ "x-client-request-id": "1" }), null);
  assert.equal(spanOfCaller(null), null);
});

test("a request to a member has the span's headers in place of the caller's, and keeps the others", () => {
  const caller = { traceparent, tracestate: "shop=1", "x-client-request-id": "mine" };
  const span = { traceId, spanId: "b7ad6b7169203331", traceFlags: 0 };
  assert.deepEqual(headersWithin(span, caller), {
    "x-client-request-id": "mine",
    traceparent: `00-${traceId}-b7ad6b7169203331-00`,
  });
  const { traceState } = spanOfCaller(caller)!;
  assert.equal(headersWithin({ ...span, traceState: traceState! }, null).tracestate, "shop=1");
});
