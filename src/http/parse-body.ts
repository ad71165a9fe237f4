// From the bytes of a body to the value it says, whatever its media type. All limits hold before anything is
// built: depth is judged on the bytes, fields are counted while they are cut.

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { type Problem, problem } from "#contract/problem.ts";
import { exceededBound } from "#runtime/json-bounds.ts";
import { readForm } from "./form.ts";
import { boundaryOf, readMultipart } from "./multipart.ts";
import { readUrlencoded } from "./urlencoded.ts";

/** What a body said. `files`: the names under which a form brought files; their contents are not kept. */
export interface ParsedBody {
  value: unknown;
  files: string[];
}

const maxDepth = 32;
/** Ten thousand contacts with every field are 90,000; parsing this many takes about 0.2 s. */
export const maxValues = 500_000;
const tooDeep = problem("malformed_body", { message: `The body is nested deeper than ${maxDepth} levels.` });
export const tooManyValues = problem("malformed_body", {
  message: `The body holds more than ${maxValues} values.`,
});
const notUtf8 = problem("malformed_body", { message: "The body is not valid UTF-8." });
const notJson = problem("malformed_body", { message: "The body is not valid JSON." });
export const badForm = problem("malformed_body", { message: "The form data could not be read." });
export const tooManyFields = problem("body_too_large", { message: "The form has too many fields." });

export type Media = "json" | "urlencoded" | "multipart";

/** The kind of body that the headers announce; null for one that is not taken. */
export function mediaOf(headers: IncomingHttpHeaders): Media | null {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "" && encoding.toLowerCase() !== "identity") return null;
  const type = headers["content-type"];
  if (type === undefined) return null;
  const end = type.indexOf(";");
  switch ((end === -1 ? type : type.slice(0, end)).trim().toLowerCase()) {
    case "application/json":
      return "json";
    case "application/x-www-form-urlencoded":
      return "urlencoded";
    case "multipart/form-data":
      return "multipart";
    default:
      return null;
  }
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** JSON by RFC 8259; a byte order mark is let pass, as some editors and shells send one. */
function parseJson(bytes: Buffer): ParsedBody | Problem {
  if (!isUtf8(bytes)) return notUtf8;
  const exceeded = exceededBound(bytes, { maxDepth, maxValues });
  if (exceeded !== null) return exceeded === "depth" ? tooDeep : tooManyValues;
  let text = bytes.toString();
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  try {
    // An own `__proto__` key stays a plain key with JSON.parse; nothing here copies keys by assignment.
    return { value: JSON.parse(text) as unknown, files: [] };
  } catch {
    return isBlank(text) ? { value: null, files: [] } : notJson;
  }
}

/** A form's `contact` may be JSON text; text that is not JSON stays text, and so is not a list. */
export function parseForm(pairs: readonly [string, string][], files: string[]): ParsedBody | Problem {
  const form = readForm(pairs, maxDepth);
  if (form.kind === "too_deep") return tooDeep;
  const { contact } = form.value;
  if (typeof contact === "string" && !isBlank(contact)) {
    const parsed = parseJson(Buffer.from(contact));
    if (parsed === tooDeep || parsed === tooManyValues) return parsed;
    if (!("problem" in parsed)) form.value.contact = parsed.value;
  }
  return { value: form.value, files };
}

/**
 * The value of a body. A body of no bytes is null, whatever its type. `maxFields` bounds what a form may
 * bring. The bytes must already be within their limit.
 */
export function parseBody(
  bytes: Buffer,
  headers: IncomingHttpHeaders,
  maxFields: number,
): ParsedBody | Problem {
  if (bytes.length === 0) return { value: null, files: [] };
  const media = mediaOf(headers);
  if (media === null) return problem("unsupported_media_type");
  if (media === "json") return parseJson(bytes);
  if (media === "urlencoded") {
    const read = readUrlencoded(bytes, maxFields);
    if (read.kind === "too_many") return tooManyFields;
    return read.kind === "malformed" ? badForm : parseForm(read.pairs, []);
  }
  const boundary = boundaryOf(headers["content-type"] ?? "");
  if (boundary === null) return badForm;
  const read = readMultipart(bytes, boundary, maxFields);
  if (read.kind === "too_many") return tooManyFields;
  return read.kind === "malformed" ? badForm : parseForm(read.pairs, read.files);
}
