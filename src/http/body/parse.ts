// Parses the bytes of a body, for each media type. All limits are checked before anything is built: depth and values are counted on the
// bytes, fields while they are split, and memory is reserved for them.

import { isAscii, isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { notJsonMessage } from "#contract/json-fault.ts";
import { isProblem, type Problem, problem } from "#contract/problem.ts";
import { countValues } from "#runtime/json-bounds.ts";
import { readForm } from "./bracket-fields.ts";
import { type BodyShare, valueCost } from "./budget.ts";
import type { BodyLimits } from "./limits.ts";
import { boundaryOf, readMultipart } from "./multipart.ts";
import { readUrlencoded } from "./urlencoded.ts";

/** The contents of a body. `files`: the names of a form's fields with files; their contents are not kept. */
export interface ParsedBody {
  value: unknown;
  files: string[];
  /** The body was sent as a form but begins like JSON: curl sends JSON like this if no header names it. */
  looksLikeJson?: true;
}

export const maxDepth = 32;
const tooDeep = problem("malformed_body", { message: `The body is nested deeper than ${maxDepth} levels.` });
const tooManyValues = (maxValues: number) =>
  problem("malformed_body", { message: `The body holds more than ${maxValues} values.` });
const notUtf8 = problem("malformed_body", { message: "The body is not valid UTF-8." });
/** While it is assembled, a list or object of a form is a map, which uses three times the memory of a JSON one. */
export const formValueCost = 3 * valueCost;
export const badForm = problem("malformed_body", { message: "The form data could not be read." });
/** When a client that was refused for lack of memory may retry: by then other bodies have been answered. */
export const noRoomRetryMs = 1_000;
/** The bodies of all requests together have reached their maximum. */
export const noRoom = problem("unavailable", {
  message: "Too many large requests are under way. Nothing was accepted; please try again.",
  retryAfterMs: noRoomRetryMs,
});
export const tooManyFields = problem("body_too_large", { message: "The form has too many fields." });

type Media = "json" | "urlencoded" | "multipart";

/** The kind of body that the headers announce; null for one that is not accepted. */
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

/** The first byte in UTF-8 of a character beyond Latin-1, and the first of one that is two in UTF-16. */
const firstWide = 0xc4;
const firstOfTwo = 0xf0;

/**
 * What a text costs beyond its bytes: V8 keeps one with any character beyond Latin-1 at two bytes a character, once as it
 * came and once as values.
 */
function wideTextCost(bytes: Buffer): number {
  if (isAscii(bytes)) return 0;
  let characters = 0;
  let isWide = false;
  // By index: the iterator of a buffer is several times slower.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte >= 0x80 && byte < 0xc0) continue;
    characters += byte >= firstOfTwo ? 2 : 1;
    if (byte >= firstWide) isWide = true;
  }
  return isWide ? 2 * 2 * characters : 0;
}

/** A text that is not JSON, as `JSON.parse` said so. */
interface NotJson {
  notJson: unknown;
}

/** A number that is not exact as a double, such as an id of 64 bits, as the text that was written. */
const asWritten = (_name: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value !== "number" ||
  (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value))
    ? value
    : (source ?? value);

/** JSON by RFC 8259; a byte order mark is accepted, as some editors and shells send one. */
function parseJson(
  bytes: Buffer,
  maxValues: number,
  share: BodyShare,
  exactNumbers = false,
): ParsedBody | Problem | NotJson {
  if (!isUtf8(bytes)) return notUtf8;
  const values = countValues(bytes, { maxDepth, maxValues });
  if (typeof values === "string") return values === "depth" ? tooDeep : tooManyValues(maxValues);
  if (!share.grow(values * valueCost)) return noRoom;
  if (!share.grow(wideTextCost(bytes))) return noRoom;
  let text = bytes.toString();
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  try {
    // An own `__proto__` key stays a plain key with JSON.parse; nothing here copies keys by assignment.
    return { value: JSON.parse(text, exactNumbers ? asWritten : undefined) as unknown, files: [] };
  } catch (error) {
    return isBlank(text) ? { value: null, files: [] } : { notJson: error };
  }
}

/** A form's `contact` may be JSON text; text that is not JSON stays text, and so is not a list. */
export function parseForm(
  { pairs, files }: FormContent,
  maxValues: number,
  share: BodyShare,
): ParsedBody | Problem {
  const form = readForm(pairs, { maxDepth, maxValues });
  if (form.kind !== "value") return form.kind === "too_deep" ? tooDeep : tooManyValues(maxValues);
  // Memory for the texts is reserved already.
  if (!share.grow((form.values - pairs.length) * formValueCost)) return noRoom;
  const { contact } = form.value;
  if (typeof contact === "string" && !isBlank(contact)) {
    const parsed = parseJson(Buffer.from(contact), maxValues, share);
    if (isProblem(parsed)) return parsed;
    if (!("notJson" in parsed)) form.value.contact = parsed.value;
  }
  return { value: form.value, files };
}

/** The fields of a form in their order, and the names of the fields with files. */
export interface FormContent {
  pairs: readonly [string, string][];
  files: string[];
}

/** Reserves memory for a form's fields. Returns the problem if there is no room. */
function withRoom(parts: FormContent, share: BodyShare): FormContent | Problem {
  return share.grow(parts.pairs.length * formValueCost) ? parts : noRoom;
}

/** The fields of a form's bytes, at most `maxFields` of them. */
export function readFormContent(
  bytes: Buffer,
  media: Exclude<Media, "json">,
  headers: IncomingHttpHeaders,
  maxFields: number,
  share: BodyShare,
): FormContent | Problem {
  if (media === "urlencoded") {
    const read = readUrlencoded(bytes, maxFields);
    if (read.kind === "too_many") return tooManyFields;
    return read.kind === "malformed" ? badForm : withRoom({ pairs: read.pairs, files: [] }, share);
  }
  const boundary = boundaryOf(headers["content-type"] ?? "");
  if (boundary === null) return badForm;
  const read = readMultipart(bytes, boundary, maxFields);
  if (read.kind === "too_many") return tooManyFields;
  return read.kind === "malformed" ? badForm : withRoom(read, share);
}

/**
 * The value of a body. An empty body is null, for every media type. The bytes must already be within their limit; the memory of the value
 * is reserved in `share`. `exactNumbers`: a number of JSON that a double does not hold becomes a text.
 */
export function parseBody(
  bytes: Buffer,
  headers: IncomingHttpHeaders,
  {
    maxFields,
    maxValues,
    exactNumbers,
  }: Pick<BodyLimits, "maxFields" | "maxValues"> & { exactNumbers?: boolean },
  share: BodyShare,
): ParsedBody | Problem {
  if (bytes.length === 0) return { value: null, files: [] };
  const media = mediaOf(headers);
  if (media === null) return problem("unsupported_media_type");
  if (media === "json") {
    const parsed = parseJson(bytes, maxValues, share, exactNumbers);
    if (!("notJson" in parsed)) return parsed;
    return problem("malformed_body", { message: notJsonMessage(parsed.notJson) });
  }
  const form = readFormContent(bytes, media, headers, maxFields, share);
  if (isProblem(form)) return form;
  const parsed = parseForm(form, maxValues, share);
  return media === "urlencoded" && beginsAsJson(bytes) && !isProblem(parsed)
    ? { ...parsed, looksLikeJson: true }
    : parsed;
}

/** Whether the first non-whitespace byte is a brace or a bracket. */
function beginsAsJson(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, 64).trimStart();
  return start.startsWith("{") || start.startsWith("[");
}
