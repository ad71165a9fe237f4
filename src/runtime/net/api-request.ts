// Requests of the command line to an installation: through a socket file of the same machine, or to an address. A person typed the address,
// so the outbound guard does not check it.

import { type IncomingMessage, request as overHttp, type RequestOptions } from "node:http";
import { request as overHttps } from "node:https";
import { HttpError } from "./http/http-error.ts";

/** `{ socketPath }`: the process behind a socket file. `{ url }`: the origin of an installation, `http://127.0.0.1:8080`. */
export type ApiTarget = { socketPath: string } | { url: string };

interface ApiRequest {
  method: string;
  /** Including its query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined for no body. */
  body?: unknown;
  /** Longest time without a byte, ms. Null if there is no limit, for streams that a person watches. */
  silenceMs: number | null;
}

interface ApiAnswer {
  status: number;
  /** The body, as it arrives. */
  body: AsyncIterable<string>;
}

/** Sends a request. Throws the system's error if there is no answer. */
export async function requestApi(target: ApiTarget, asked: ApiRequest): Promise<ApiAnswer> {
  const { method, path, silenceMs } = asked;
  const body = asked.body === undefined ? null : JSON.stringify(asked.body);
  const options: RequestOptions = {
    method,
    headers: {
      ...asked.headers,
      ...(body === null
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    },
    ...(silenceMs === null ? {} : { timeout: silenceMs }),
    agent: false,
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent =
      "socketPath" in target
        ? overHttp({ ...options, socketPath: target.socketPath, host: "localhost", path }, resolve)
        : new URL(target.url).protocol === "https:"
          ? overHttps(`${target.url}${path}`, options, resolve)
          : overHttp(`${target.url}${path}`, options, resolve);
    sent.once("timeout", () => sent.destroy(new HttpError("silent", "no answer in time")));
    sent.once("error", reject);
    sent.end(body);
  });
  return { status: response.statusCode ?? 0, body: response.setEncoding("utf8") };
}

/** A whole body. */
export async function textOf(body: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}
