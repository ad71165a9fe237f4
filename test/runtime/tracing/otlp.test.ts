// The JSON of OTLP/HTTP, compared with the protocol's own example: names, numbers and their forms.
// https://github.com/open-telemetry/opentelemetry-proto/blob/main/examples/trace.json

import assert from "node:assert/strict";
import test from "node:test";
import { otlpBody } from "#runtime/tracing/otlp.ts";
import { type EndedSpan, spanKind } from "#runtime/tracing/tracing.ts";

const span: EndedSpan = {
  context: { traceId: "5b8efff798038103d269b633813fc60c", spanId: "eee19b7ec3c1b174", traceFlags: 1 },
  parent: null,
  name: "chat",
  kind: spanKind.server,
  startMs: 1_544_712_660_300.25,
  endMs: 1_544_712_661_000,
  attributes: {},
  isFailed: false,
};
const written = (changes: Partial<EndedSpan>) =>
  JSON.parse(otlpBody([{ ...span, ...changes }], {}, "1.0")).resourceSpans[0].scopeSpans[0].spans[0];

test("one request: the resource, the scope, the spans", () => {
  assert.deepEqual(JSON.parse(otlpBody([span], { "service.name": "trunkline" }, "1.0")), {
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "trunkline" } }] },
        scopeSpans: [
          {
            scope: { name: "trunkline", version: "1.0" },
            spans: [
              {
                traceId: "5b8efff798038103d269b633813fc60c",
                spanId: "eee19b7ec3c1b174",
                flags: 0x101,
                name: "chat",
                kind: 2,
                startTimeUnixNano: "1544712660300250000",
                endTimeUnixNano: "1544712661000000000",
                attributes: [],
                status: {},
              },
            ],
          },
        ],
      },
    ],
  });
});

test("the parent, its process, the state of the trace, and an error", () => {
  const parent = { traceId: span.context.traceId, spanId: "eee19b7ec3c1b173", traceFlags: 1 };
  const here = written({ parent, isFailed: true });
  assert.deepEqual([here.parentSpanId, here.flags, here.status], ["eee19b7ec3c1b173", 0x101, { code: 2 }]);
  const there = written({
    context: { ...span.context, traceState: "shop=1" },
    parent: { ...parent, isRemote: true },
  });
  assert.deepEqual([there.flags, there.traceState], [0x301, "shop=1"]);
});

test("each kind of attribute; a number that is no safe integer is a double", () => {
  for (const [value, expected] of [
    ["text", { stringValue: "text" }],
    [true, { boolValue: true }],
    [5, { intValue: 5 }],
    [-5, { intValue: -5 }],
    [0.25, { doubleValue: 0.25 }],
    [2 ** 53, { doubleValue: 2 ** 53 }],
    [["a", "b"], { arrayValue: { values: [{ stringValue: "a" }, { stringValue: "b" }] } }],
    [[], { arrayValue: { values: [] } }],
  ] as const)
    assert.deepEqual(written({ attributes: { key: value } }).attributes, [{ key: "key", value: expected }]);
});
