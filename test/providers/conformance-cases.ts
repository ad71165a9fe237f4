// What a provider gives the conformance suite: its settings and recorded wire traffic, each case with what has to
// come of it. Data alone, so that the same recordings can be played to the vendor's own SDK.

import assert from "node:assert/strict";
import type { ChatRequest, Failure, StreamPiece } from "#providers/provider.ts";
import { checkedFailure } from "./openai-shapes.ts";

export interface RequestCase {
  name: string;
  /** OpenAI's request, without `model` and `stream`. */
  body: Record<string, unknown>;
  /** What the member calls the model. */
  model?: string;
  stream?: boolean;
  /** Over the suite's settings. */
  settings?: object;
  /** What goes to the vendor; `body` parsed. */
  request: { url: string; headers?: Record<string, string>; body: unknown };
}

export interface UnsupportedCase {
  name: string;
  body: Record<string, unknown>;
  model?: string;
  param: string;
  says?: RegExp;
}

/** `error`: fields of the error object that must be there. */
export interface ExpectedFailure {
  kind: Failure["kind"];
  retryAfterMs?: number | null;
  error?: Partial<Failure["error"]>;
}

export interface AnswerCase {
  name: string;
  /** The body of a 200, as text or as what it holds. */
  wire: unknown;
  /** OpenAI's request, as far as the reading depends on it. */
  body?: Record<string, unknown>;
  model?: string;
  completion?: object;
  output?: boolean;
  failure?: ExpectedFailure;
}

export interface StreamCase {
  name: string;
  /** The stream as it came. */
  wire: string;
  body?: Record<string, unknown>;
  model?: string;
  /** OpenAI's chunks in order, parsed. */
  chunks: object[];
  /** `open`: it goes on, or was cut. */
  end: "done" | "open" | ExpectedFailure;
}

export interface FailureCase {
  name: string;
  status: number;
  headers?: Record<string, string>;
  /** As text or as what it holds. */
  wire: unknown;
  failure: ExpectedFailure;
}

export interface ProviderSuite {
  /** A complete example, as an operator would write it. */
  settings: Record<string, unknown>;
  refused: { settings: unknown; path: string; says: RegExp }[];
  /** The model of cases that name none. */
  model: string;
  requests: readonly RequestCase[];
  unsupported: readonly UnsupportedCase[];
  answers: readonly AnswerCase[];
  streams: readonly StreamCase[];
  failures: readonly FailureCase[];
  /** The URL of the check; null: it has none. */
  check: string | null;
}

/** The moment of every test: Fri, 20 Nov 2026 12:00:00 GMT. */
export const now = Date.UTC(2026, 10, 20, 12);

/** A caller's request as the gateway hands it on. */
export function requestOf(body: Record<string, unknown>, model: string, stream = false): ChatRequest {
  const whole = { model: "pool", ...body, ...(stream ? { stream: true } : {}) };
  const text = JSON.stringify(whole);
  return { text, body: deepFrozen(JSON.parse(text)), model, stream };
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFrozen(part);
    Object.freeze(value);
  }
  return value;
}

/** Every part of the failure that is expected. */
export function expectFailure(actual: Failure, expected: ExpectedFailure): void {
  checkedFailure(actual);
  const { kind, retryAfterMs, error } = expected;
  assert.equal(actual.kind, kind, JSON.stringify(actual));
  if (retryAfterMs !== undefined) assert.equal(actual.retryAfterMs, retryAfterMs);
  assert.deepEqual({ ...actual.error, ...error }, actual.error);
}

/** How a stream ended. */
export function expectEnd(pieces: readonly StreamPiece[], end: StreamCase["end"]): void {
  const last = pieces.at(-1);
  if (end === "done") assert.equal(last?.kind, "done");
  else if (end === "open") assert.ok(pieces.every(({ kind }) => kind === "chunk"));
  else {
    assert.equal(last?.kind, "failure", JSON.stringify(last));
    expectFailure(last.failure, end);
  }
}
