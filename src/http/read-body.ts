// A request's body, read and parsed, or the problem to answer with.

import type { IncomingMessage } from "node:http";
import { type Problem, problem } from "#contract/problem.ts";
import { announcesBody, readBytes } from "./body.ts";
import type { Deadlines } from "./deadlines.ts";
import { mediaOf, type ParsedBody, parseBody } from "./parse-body.ts";

export interface BodyLimits {
  maxBytes: number;
  maxFields: number;
  deadlines: Deadlines;
}

/** Null: the client went away. A body of a kind that is not taken is refused unread when it says its length. */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<ParsedBody | Problem | null> {
  const { headers } = request;
  if (announcesBody(request) && headers["transfer-encoding"] === undefined && mediaOf(headers) === null) {
    return problem("unsupported_media_type");
  }
  const read = await readBytes(request, limits.maxBytes, limits.deadlines);
  switch (read.kind) {
    case "bytes":
      return parseBody(read.bytes, headers, limits.maxFields);
    case "too_large":
      return tooLarge(limits.maxBytes);
    case "too_slow":
      return problem("request_timeout");
    case "gone":
      return null;
  }
}

export function tooLarge(maxBytes: number): Problem {
  return problem("body_too_large", { message: `The body is larger than ${maxBytes} bytes.` });
}

export function isProblem(value: object): value is Problem {
  return "problem" in value;
}
