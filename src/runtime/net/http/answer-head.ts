// Reads the head of an answer (RFC 9112) and says where its body ends. A head that two parsers could frame in two ways is
// refused: the peer may be a proxy that shares connections, and an answer must never be taken for that of another request.

import { invalid } from "./http-error.ts";

/** The body ends with its last chunk. */
export const chunkedBody = -1;
/** The body ends with the connection. */
export const bodyToTheClose = -2;

export interface AnswerHead {
  status: number;
  /** By lower-case name; repeated ones are joined with a comma. */
  headers: Record<string, string>;
  /** The length of the body, bytes, or one of the two constants above. */
  length: number;
  /** The peer keeps the connection open after the answer. */
  keepsOpen: boolean;
  /** For how long, ms, if it says so. */
  keepsOpenMs: number | null;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** Controls other than the tab. Lines have been split at CRLF, so a CR or LF here is a bare one. */
const control = /[^\t\x20-\x7e\x80-\xff]/;

/** Lower-case names by their spelling: checking and folding a name each time costs more than the rest of its line. */
const names = new Map<string, string>();
const maxNames = 1_000;
const maxKnownLength = 64;

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (!token.test(text)) throw invalid("a header's name is not a token");
  if (text.length > maxKnownLength) return text.toLowerCase();
  // Copied: a slice would keep its whole head in memory, also as the name, which is the same string if it is in lower case.
  const copy = Buffer.from(text, "latin1").toString("latin1");
  const name = copy.toLowerCase();
  if (names.size >= maxNames) names.clear();
  names.set(copy, name);
  return name;
}

const isSpace = (char: number) => char === 32 || char === 9;

/** The value without the spaces and tabs around it. `String.trim` would also take a no-break space. */
function trimmed(text: string, from: number, to: number): string {
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** `text`: the head, latin1, without the empty line at its end. `toHead`: the request was HEAD. Throws an `HttpError`. */
export function readAnswerHead(text: string, toHead: boolean): AnswerHead {
  const firstEnd = text.indexOf("\r\n");
  const first = firstEnd === -1 ? text : text.slice(0, firstEnd);
  const found = statusLine.exec(first);
  if (found === null || control.test(first)) throw invalid("the status line is not that of HTTP/1");
  const status = Number(found[2]);
  const headers: Record<string, string> = {};
  for (let at = firstEnd; at !== -1; ) {
    const start = at + 2;
    at = text.indexOf("\r\n", start);
    const end = at === -1 ? text.length : at;
    const colon = text.indexOf(":", start);
    // An obsolete folded line begins with a space, which no name contains.
    if (colon === -1 || colon > end) throw invalid("a header line has no colon");
    const name = nameOf(text.slice(start, colon));
    const value = trimmed(text, colon + 1, end);
    if (control.test(value)) throw invalid("a header's value has a control character");
    // Parsers differ in whether a tab belongs to the value.
    if ((name === "content-length" || name === "transfer-encoding") && text.slice(colon, end).includes("\t"))
      throw invalid("a header of the framing has a tab");
    // By its type, because `constructor` and the like are inherited. A header called __proto__ is dropped by the assignment: a prototype
    // cannot be a string.
    if (typeof headers[name] !== "string") headers[name] = value;
    else if (name === "content-length") throw invalid("the length is given twice");
    else headers[name] += `, ${value}`;
  }
  return framed(status, headers, found[1] === "1", toHead);
}

function framed(
  status: number,
  headers: Record<string, string>,
  isVersion11: boolean,
  toHead: boolean,
): AnswerHead {
  const { connection, "transfer-encoding": encoding, "content-length": stated, "keep-alive": hint } = headers;
  let length = bodyToTheClose;
  if (encoding !== undefined) {
    if (stated !== undefined) throw invalid("it has a length and a transfer encoding");
    if (!isVersion11) throw invalid("HTTP/1.0 has no transfer encoding");
    if (encoding !== "chunked" && encoding.toLowerCase() !== "chunked")
      throw invalid("the transfer encoding is not chunked");
    length = chunkedBody;
  } else if (stated !== undefined) {
    if (!/^\d{1,15}$/.test(stated)) throw invalid("the length is not a number");
    length = Number(stated);
  }
  let keepsOpen = isVersion11;
  if (connection !== undefined && connection !== "keep-alive") {
    const options = connection
      .toLowerCase()
      .split(",")
      .map((option) => option.trim());
    keepsOpen = !options.includes("close") && (isVersion11 || options.includes("keep-alive"));
  } else if (connection !== undefined) keepsOpen = true;
  if (toHead || status < 200 || status === 204 || status === 304) {
    // One that announces a body may send it, where the next answer is expected.
    if (!toHead && status >= 200 && length !== bodyToTheClose && length !== 0) keepsOpen = false;
    length = 0;
  }
  if (length === bodyToTheClose) keepsOpen = false;
  const seconds = hint === undefined ? undefined : /timeout=(\d{1,9})/i.exec(hint)?.[1];
  return {
    status,
    headers,
    length,
    keepsOpen,
    keepsOpenMs: seconds === undefined ? null : Number(seconds) * 1000,
  };
}
