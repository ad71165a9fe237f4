// Loads the recorded wire traffic of fixtures/ as cases of the conformance suite. Every file is checked against its
// shape, so that a misspelt field fails the test instead of being ignored.

import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type {
  AnswerCase,
  FailureCase,
  RequestCase,
  StreamCase,
  UnsupportedCase,
} from "./conformance-cases.ts";
import { eventsOf } from "./sse.ts";

type Vendor = "anthropic" | "bedrock" | "gemini" | "openai";

const body = z.record(z.string(), z.unknown());
const kinds = [
  "invalid_request",
  "context_length",
  "content_policy",
  "unsupported",
  "rate_limited",
  "unauthorized",
  "model_not_found",
  "upstream_error",
] as const;
const failure = z.strictObject({
  kind: z.enum(kinds),
  retryAfterMs: z.number().nullable().optional(),
  refused: z.strictObject({ name: z.string(), valueOnly: z.boolean() }).optional(),
  error: z
    .strictObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    })
    .partial()
    .optional(),
});
const headers = z.record(z.string(), z.string());

const requestCase = z.strictObject({
  name: z.string(),
  body,
  model: z.string().optional(),
  stream: z.boolean().optional(),
  settings: body.optional(),
  request: z.strictObject({ url: z.url(), headers: headers.optional(), body }),
});

const unsupportedCase = z.strictObject({
  name: z.string(),
  body,
  model: z.string().optional(),
  param: z.string(),
  /** A regular expression for the message. */
  says: z
    .string()
    .transform((source) => new RegExp(source))
    .optional(),
});

const answerCase = z.strictObject({
  name: z.string(),
  wire: z.unknown(),
  body: body.optional(),
  model: z.string().optional(),
  /** Absent, beside no `failure`: the answer is passed on as it came. */
  completion: body.optional(),
  output: z.boolean().optional(),
  failure: failure.optional(),
});

const streamCase = z.strictObject({
  name: z.string(),
  /** In the folder `streams`; the chunks that come of it are in `….chunks.jsonl`, or are its events as they came. */
  file: z.string().endsWith(".sse"),
  body: body.optional(),
  model: z.string().optional(),
  end: z.union([z.enum(["done", "open"]), failure]),
});

const failureCase = z.strictObject({
  name: z.string(),
  status: z.int(),
  headers: headers.optional(),
  wire: z.unknown(),
  failure,
});

function read(path: string): string {
  return readFileSync(new URL(`fixtures/${path}`, import.meta.url), "utf8");
}

function load<Case extends z.ZodType>(shape: Case, vendor: Vendor, file: string): z.output<Case>[] {
  return z
    .array(shape)
    .min(1)
    .parse(JSON.parse(read(`${vendor}/${file}.json`)));
}

/** A recorded stream, as it came over the wire. */
export function recordedStream(vendor: Vendor, file: string): string {
  return read(`${vendor}/streams/${file}`);
}

export function requestCases(vendor: Vendor): RequestCase[] {
  return load(requestCase, vendor, "requests") as RequestCase[];
}

export function unsupportedCases(vendor: Vendor): UnsupportedCase[] {
  return load(unsupportedCase, vendor, "unsupported") as UnsupportedCase[];
}

export function answerCases(vendor: Vendor): AnswerCase[] {
  return load(answerCase, vendor, "answers").map((recorded) => {
    const passedOn = recorded.completion === undefined && recorded.failure === undefined;
    return (passedOn ? { ...recorded, completion: recorded.wire } : recorded) as AnswerCase;
  });
}

export function failureCases(vendor: Vendor): FailureCase[] {
  return load(failureCase, vendor, "failures") as FailureCase[];
}

export function streamCases(vendor: Vendor): StreamCase[] {
  return load(streamCase, vendor, "streams").map(({ file, ...recorded }) => {
    const wire = recordedStream(vendor, file);
    return { ...recorded, wire, chunks: chunksOf(vendor, file, wire) } as StreamCase;
  });
}

function chunksOf(vendor: Vendor, file: string, wire: string): object[] {
  const expected = `${vendor}/streams/${file.replace(/\.sse$/, ".chunks.jsonl")}`;
  const lines = existsSync(new URL(`fixtures/${expected}`, import.meta.url))
    ? read(expected).split("\n")
    : eventsOf(wire).map(({ data }) => data);
  return lines.flatMap((line): object[] => {
    const value = line.startsWith("{") ? (JSON.parse(line) as object) : null;
    return value === null || "error" in value ? [] : [value];
  });
}
