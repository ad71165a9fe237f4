// Spans as the rest of the program makes them: named and numbered as in OpenTelemetry's specification. They are made and sent only if an
// operator configures a collector.

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
  /** Headers for the collector, in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** How long the collector may take for one batch, including retries, ms; default 10,000. */
  timeoutMs?: number;
  /** Batches are compressed. */
  gzip?: boolean;
  /** Paths of PEM files: the authority to trust instead of the public ones, and the client's certificate with its key. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** Attributes of the resource, which replace Trunkline's own of the same name. */
  resource?: Readonly<Record<string, string>>;
}

type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A position in a trace, as W3C Trace Context has it. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Bit 0: the trace is sampled. */
  traceFlags: number;
  /** The text of `tracestate`, which goes on as it came. */
  traceState?: string;
  /** It came with a request. */
  isRemote?: boolean;
}

/** The protocol's numbers. */
export const spanKind = { server: 2, client: 3 } as const;
type SpanKind = (typeof spanKind)[keyof typeof spanKind];

/** A span that has ended. */
export interface EndedSpan {
  context: SpanContext;
  parent: SpanContext | null;
  name: string;
  kind: SpanKind;
  /** Epoch ms. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  isFailed: boolean;
}

export interface Span {
  readonly context: SpanContext;
  /** Whether a collector will see it; the attributes of others need not be computed. */
  isRecording(): boolean;
  setAttribute(name: string, value: AttributeValue): void;
  setAttributes(attributes: Attributes): void;
  /** Its status is an error. */
  fail(): void;
  /** What is set later has no effect. */
  end(): void;
}

export interface Tracer {
  /** `parent`: null at the root of a trace. */
  startSpan(
    name: string,
    options: { kind: SpanKind; attributes?: Attributes },
    parent: SpanContext | null,
  ): Span;
}

export interface Tracing {
  tracer: Tracer;
  /** Spans that did not reach the collector. */
  dropped(): number;
  /** Sends what waits, for 5 s at most. */
  stop(): Promise<void>;
}
