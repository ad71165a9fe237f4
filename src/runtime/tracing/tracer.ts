// Makes spans. Those of traces that are not sampled carry a position in the trace, for the members that are called, and nothing else.

import type { Clock, Random } from "#runtime/runtime.ts";
import { type Sampler, sampledFlag } from "./sampler.ts";
import type { Attributes, EndedSpan, Span, SpanContext, Tracer } from "./tracing.ts";

/** Longer texts of attributes are cut, UTF-16 units. */
const maxText = 256;

export function createTracer(deps: {
  clock: Clock;
  random: Random;
  sampler: Sampler;
  /** Called once for each sampled span. */
  onEnd(span: EndedSpan): void;
}): Tracer {
  const { clock, random, sampler, onEnd } = deps;
  return {
    startSpan(name, { kind, attributes = {} }, parent) {
      const traceId = parent?.traceId ?? newId(random, 16);
      const isSampled = sampler(traceId, parent);
      const context: SpanContext = {
        traceId,
        spanId: newId(random, 8),
        traceFlags: isSampled ? sampledFlag : 0,
        ...(parent?.traceState === undefined ? {} : { traceState: parent.traceState }),
      };
      if (!isSampled) return idleSpan(context);
      const begun = { context, parent, name, kind, startMs: clock.now() };
      const beganAt = clock.monotonic();
      return recordingSpan(context, attributes, (rest) =>
        onEnd({ ...begun, ...rest, endMs: begun.startMs + clock.monotonic() - beganAt }),
      );
    },
  };
}

type Ended = Pick<EndedSpan, "attributes" | "isFailed">;

function recordingSpan(context: SpanContext, initial: Attributes, ended: (rest: Ended) => void): Span {
  const attributes = new Map<string, Attributes[string]>();
  let isFailed = false;
  let hasEnded = false;
  const set = (name: string, value: Attributes[string]) => {
    if (!hasEnded) attributes.set(name, cut(value));
  };
  for (const [name, value] of Object.entries(initial)) set(name, value);
  return {
    context,
    isRecording: () => !hasEnded,
    setAttribute: set,
    setAttributes: (more) => {
      for (const [name, value] of Object.entries(more)) set(name, value);
    },
    fail: () => {
      if (!hasEnded) isFailed = true;
    },
    end: () => {
      if (hasEnded) return;
      hasEnded = true;
      ended({ attributes: Object.fromEntries(attributes), isFailed });
    },
  };
}

const nothing = () => {};
const idleSpan = (context: SpanContext): Span => ({
  context,
  isRecording: () => false,
  setAttribute: nothing,
  setAttributes: nothing,
  fail: nothing,
  end: nothing,
});

function cut(value: Attributes[string]): Attributes[string] {
  if (typeof value === "string") return value.slice(0, maxText);
  return typeof value === "object" ? value.map((each) => each.slice(0, maxText)) : value;
}

/** Hexadecimal digits. All zeros, which Trace Context forbids, has no chance to occur in 64 bits. */
const newId = (random: Random, bytes: number) => Buffer.from(random.bytes(bytes)).toString("hex");
