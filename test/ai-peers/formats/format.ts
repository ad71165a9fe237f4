// What the three formats of the scripted members have in common.

import type { Json, Step, Turn } from "../turn.ts";

export type { Json };

/** The member's strict reading of a request found a fault: it refuses as the vendor does. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** The parameter that it does not know. */
  readonly param: string | null;
  constructor(
    message: string,
    { status = 400, code = "invalid_request_error", param = null as string | null } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

export interface ServerEvent {
  /** Its `event:` line, if the format has such lines. */
  name: string | null;
  data: string;
}

export interface Answering {
  step: Step;
  turn: Turn;
  /** The member's name: its reasoning can be opened by itself alone. */
  member: string;
}

export interface Format {
  /** How the path ends. */
  path: string;
  /** Reads a request as strictly as the vendor; throws a `Refusal`. */
  read(body: Json, member: string): Turn;
  stream(answering: Answering): ServerEvent[];
  whole(answering: Answering): Json;
  refusal(refusal: Refusal): Json;
}

let made = 0;
/** An id that is used once. */
export function newId(prefix: string): string {
  made += 1;
  return `${prefix}_${made.toString().padStart(8, "0")}`;
}

/** Reasoning that this member alone can open. */
export const seal = (member: string, thought: string): string =>
  Buffer.from(JSON.stringify({ member, thought })).toString("base64");

export function isSealedBy(member: string, sealed: unknown): boolean {
  try {
    return JSON.parse(Buffer.from(String(sealed), "base64").toString()).member === member;
  } catch {
    return false;
  }
}

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The text of a content that is one text or a list of parts. */
export const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map(({ text }) => (typeof text === "string" ? text : ""))
        .join("\n");

/** Each call has to have one result, and each result a call. */
export function checkCalls(calls: readonly string[], results: readonly string[], message: string): void {
  const sorted = (ids: readonly string[]) => [...ids].sort().join(",");
  if (new Set(calls).size !== calls.length || sorted(calls) !== sorted(results)) throw new Refusal(message);
}

export const parametersOf = (schema: unknown): string[] =>
  Object.keys(((schema as Json | undefined)?.properties as Json | undefined) ?? {});
