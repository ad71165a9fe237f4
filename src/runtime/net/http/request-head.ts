// The head of a request, as one string. A header that could end its line, or change how the request is framed, is refused. Answers are asked
// for without compression.

import { HttpError } from "./http-error.ts";

export interface RequestHead {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query as the URL parser spells them: visible ASCII. */
  path: string;
  /** Host and port for the `host` header; a header of the caller replaces it. */
  host: string;
  /** One called `accept-encoding` is dropped. */
  headers: Readonly<Record<string, string>>;
}

const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;
const visible = /^[\x21-\x7e]+$/;

/** Headers that belong to the connection, and are the client's own. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const keptLines = "connection: keep-alive\r\naccept-encoding: identity\r\n";
const closedLines = "connection: close\r\naccept-encoding: identity\r\n";

/** Lower-case names by their spelling, of those that were found good. */
const goodNames = new Map<string, string>();
const maxNames = 1_000;
const maxKnownLength = 64;

function nameOf(text: string): string {
  const known = goodNames.get(text);
  if (known !== undefined) return known;
  const name = text.toLowerCase();
  if (!token.test(text)) throw new HttpError("bad_request", "a header's name is not a token");
  if (connectionHeaders.has(name)) throw new HttpError("bad_request", "the header belongs to the connection");
  if (text.length > maxKnownLength) return name;
  if (goodNames.size >= maxNames) goodNames.clear();
  goodNames.set(text, name);
  return name;
}

/**
 * Everything before the body, latin1. `bodyBytes`: the length of the body. `keepOpen`: asks the peer to keep the connection. Throws an
 * `HttpError`.
 */
export function requestHead(
  { method, path, host, headers }: RequestHead,
  bodyBytes: number,
  keepOpen: boolean,
): string {
  if (!visible.test(path)) throw new HttpError("bad_request", "the path is not one of a URL");
  let sentTo = host;
  let lines = keepOpen ? keptLines : closedLines;
  for (const name in headers) {
    const value = headers[name]!;
    if (notInValue.test(value))
      throw new HttpError("bad_request", "a header's value has a control character");
    const known = nameOf(name);
    if (known === "host") sentTo = value;
    else if (known !== "accept-encoding") lines += `${name}: ${value}\r\n`;
  }
  if (bodyBytes > 0 || method === "POST" || method === "PUT" || method === "PATCH")
    lines += `content-length: ${bodyBytes}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${sentTo}\r\n${lines}\r\n`;
}
