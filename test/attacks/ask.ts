// The attacker's HTTP client: one request over node:http, with any headers (repeated ones as well) from any address
// of this machine. An answer that does not come is status 0.

import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Asked {
  method?: string;
  path: string;
  /** Pairs, so that a header can come twice. */
  headers?: readonly (readonly [name: string, value: string])[];
  /** An object is sent as JSON, with its content type. */
  body?: string | Buffer | object;
  /** The address it comes from, such as 127.0.1.7: a client in another network. */
  from?: string | undefined;
  /** Default 60 s. */
  timeoutMs?: number;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** From the start of the request, ms. */
  tookMs: number;
}

const agent = new Agent({ keepAlive: true });
/** Beyond this an answer is counted and not kept. */
const kept = 4 * 1024 * 1024;

/** The JSON of an answer; null when it is not JSON. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, read by tests that know them.
export function jsonOf(reply: Reply): any {
  try {
    return JSON.parse(reply.text);
  } catch {
    return null;
  }
}

export function askAt(base: string, asked: Asked): Promise<Reply> {
  const { hostname, port } = new URL(base);
  const started = performance.now();
  const isObject = typeof asked.body === "object" && !Buffer.isBuffer(asked.body);
  const body = isObject ? JSON.stringify(asked.body) : (asked.body as string | Buffer | undefined);
  const headers = (asked.headers ?? []).flat();
  const has = (name: string) => (asked.headers ?? []).some(([header]) => header.toLowerCase() === name);
  if (isObject && !has("content-type")) headers.push("Content-Type", "application/json");
  if (body !== undefined && !has("content-length") && !has("transfer-encoding"))
    headers.push("Content-Length", String(Buffer.byteLength(body)));
  if (!has("host")) headers.push("Host", `${hostname}:${port}`);
  return new Promise((resolve) => {
    let over = false;
    const end = (status: number, of: IncomingHttpHeaders, text: string) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      resolve({ status, headers: of, text, tookMs: performance.now() - started });
    };
    const sent = request(
      {
        host: hostname,
        port,
        method: asked.method ?? (body === undefined ? "GET" : "POST"),
        path: asked.path,
        headers,
        setHost: false,
        // A connection from another address is its own.
        ...(asked.from === undefined ? { agent } : { agent: false, localAddress: asked.from }),
      },
      (answer) => {
        const pieces: Buffer[] = [];
        let size = 0;
        answer.on("data", (piece: Buffer) => {
          size += piece.length;
          if (size <= kept) pieces.push(piece);
        });
        const done = () => end(answer.statusCode ?? 0, answer.headers, Buffer.concat(pieces).toString());
        answer.on("end", done).on("error", done).on("close", done);
      },
    );
    const timer = setTimeout(() => {
      end(0, {}, "no answer in time");
      sent.destroy();
    }, asked.timeoutMs ?? 60_000);
    // An answer may come while the body is still being written (413), and then the connection closes.
    sent.on("error", (error: NodeJS.ErrnoException) =>
      setImmediate(() => end(0, {}, error.code ?? error.message)),
    );
    sent.end(body);
  });
}
