// A request's body, read and parsed, or the problem to answer with.

import type { IncomingMessage } from "node:http";
import { type Problem, problem } from "#contract/problem.ts";
import { freeBytes } from "#runtime/memory/free-bytes.ts";
import type { BodyShare } from "./budget.ts";
import { announcesBody, type BodyBytes, minAverageBytes, readBytes } from "./bytes.ts";
import type { BodyLimits } from "./limits.ts";
import { mediaOf, noRoom, type ParsedBody, parseBody } from "./parse.ts";

/** Null if the client disconnected. A body of a kind that is not accepted is refused unread if its length is declared. */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  share: BodyShare,
): Promise<ParsedBody | Problem | null> {
  const { headers } = request;
  if (announcesBody(request) && headers["transfer-encoding"] === undefined && mediaOf(headers) === null) {
    return problem("unsupported_media_type");
  }
  const read = await readBytes(request, limits, share);
  if (read.kind !== "bytes") return unreadBodyProblem(read.kind, limits.maxBytes);
  const parsed = parseBody(read.bytes, headers, limits, share);
  // The values are copies of what they say.
  freeBytes(read.bytes);
  return parsed;
}

/** The body's chunks are not HTTP. */
export const malformedRequest = problem("malformed_request");

/** The answer to a request whose body was not read to its end; null if the client disconnected. */
export function unreadBodyProblem(
  fault: Exclude<BodyBytes["kind"], "bytes">,
  maxBytes: number,
): Problem | null {
  switch (fault) {
    case "too_large":
      return tooLarge(maxBytes);
    case "too_many_pieces":
      return problem("body_too_large", { message: tooManyPieces });
    case "too_slow":
      return problem("request_timeout");
    case "malformed":
      return malformedRequest;
    case "no_room":
      return noRoom;
    case "gone":
      return null;
  }
}

export const tooManyPieces = `The body came in too many pieces; send at least ${minAverageBytes} bytes in each.`;

export function tooLarge(maxBytes: number): Problem {
  return problem("body_too_large", { message: `The body is larger than ${maxBytes} bytes.` });
}
