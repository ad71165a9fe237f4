// The key of a request without one in header or query: its body is read with a separate limit and searched for `api_key`. Nothing is parsed
// before that key is checked, so an anonymous client makes the process scan 2 MiB and create no objects.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { isProblem, type Problem, problem, refusals } from "#contract/problem.ts";
import { memberOf } from "#http/body/bracket-fields.ts";
import type { BodyShare } from "#http/body/budget.ts";
import { announcesBody, readBytes } from "#http/body/bytes.ts";
import { findMember } from "#http/body/json-member.ts";
import type { BodyLimits } from "#http/body/limits.ts";
import {
  type FormContent,
  maxDepth,
  mediaOf,
  type ParsedBody,
  parseBody,
  parseForm,
  readFormContent,
  tooManyFields,
} from "#http/body/parse.ts";
import { malformedRequest, unreadBodyProblem } from "#http/body/read.ts";
import { exceededBound } from "#runtime/json-bounds.ts";
import { invalidKey, type Key, parseKey } from "./api-key-text.ts";

/** A body that was read and not parsed. */
interface SearchedBody {
  /** Null if the body contains none or cannot be parsed. */
  key: Key | null;
  /** Parses its value; only called once the key is valid. */
  parse(): ParsedBody | Problem;
}

const openObject = 0x7b;
const openList = 0x5b;

function keyInJson(bytes: Buffer, maxValues: number): Key | null {
  if (!isUtf8(bytes) || exceededBound(bytes, { maxDepth, maxValues }) !== null) return null;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const value = findMember(hasMark ? bytes.subarray(3) : bytes, "api_key", maxDepth);
  if (value === null) return null;
  if (value[0] === openObject || value[0] === openList) return invalidKey;
  return parseKey(JSON.parse(value.toString()));
}

/** Of several fields with that name the last counts, as in the form's value; one with brackets is not a text. */
function keyInForm({ pairs }: FormContent): Key | null {
  for (let at = pairs.length - 1; at >= 0; at--) {
    const [name, value] = pairs[at]!;
    if (name === "api_key") return parseKey(value);
    if (memberOf(name) === "api_key") return invalidKey;
  }
  return null;
}

/** The answer to a body that is longer than allowed without a key in header or query. */
export function tooLargeWithoutKey(maxBytes: number): Problem {
  return problem("body_too_large", {
    message: `The body is larger than ${maxBytes} bytes. A longer one needs its key in the Api-key header or the api_key URL parameter.`,
  });
}

/**
 * The reply to a faulty body without a key in header or query: one that cannot be parsed contains no key. A body that was incomplete or
 * found no room gets that as its reply.
 */
export function missingKeyReply(fault: Problem): Problem {
  if (fault === tooManyFields) return refusals.missing;
  const unparsed = (fault.status === 400 && fault !== malformedRequest) || fault.status === 415;
  return unparsed ? refusals.missing : fault;
}

/** Reads a body and searches for its key. Null if the client disconnected. */
export async function searchBody(
  request: IncomingMessage,
  limits: BodyLimits,
  share: BodyShare,
): Promise<SearchedBody | Problem | null> {
  const { headers } = request;
  const media = mediaOf(headers);
  if (!announcesBody(request)) return refusals.missing;
  if (media === null && headers["transfer-encoding"] === undefined) return refusals.missing;
  const read = await readBytes(request, limits, share);
  if (read.kind === "too_large") return tooLargeWithoutKey(limits.maxBytes);
  if (read.kind !== "bytes") return unreadBodyProblem(read.kind, limits.maxBytes);
  const { bytes } = read;
  if (media === null || bytes.length === 0) return refusals.missing;
  if (media === "json")
    return { key: keyInJson(bytes, limits.maxValues), parse: () => parseBody(bytes, headers, limits, share) };
  const form = readFormContent(bytes, media, headers, limits.maxFields, share);
  if (isProblem(form)) return missingKeyReply(form);
  return { key: keyInForm(form), parse: () => parseForm(form, limits.maxValues, share) };
}
