// An OTLP/HTTP collector on a loopback port, which takes spans as JSON: what it answers is the test's to say.
// https://opentelemetry.io/docs/specs/otlp/#otlphttp

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { gunzipSync } from "node:zlib";

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  flags: number;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  /** 2: SERVER, 3: CLIENT. */
  kind: number;
  /** 2: an error. */
  status: { code?: number };
  attributes: Record<string, unknown>;
}

type Value = { stringValue?: string; intValue?: number; arrayValue?: { values: Value[] } };
type Attribute = { key: string; value: Value };

const plain = (value: Value): unknown =>
  value.arrayValue ? value.arrayValue.values.map(plain) : Object.values(value)[0];
const named = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

/** `tls`: over HTTPS, with these options. */
export async function openCollector(tls?: TlsOptions) {
  let answer = (response: ServerResponse): unknown => response.writeHead(200).end("{}");
  const posts: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  const spans: CollectedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const sockets = new Set<Socket>();
  let wake: (() => void)[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const bytes = Buffer.concat(await request.toArray());
    const text = String(request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes);
    posts.push({ path: request.url ?? "", headers: request.headers, text });
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      resources.push(named(resource.attributes));
      for (const { spans: made } of scopeSpans)
        for (const span of made) spans.push({ ...span, attributes: named(span.attributes) });
    }
    answer(response);
    for (const one of wake.splice(0)) one();
  };
  const server = tls === undefined ? createServer(take) : createSecureServer(tls, take);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    posts,
    spans,
    resources,
    answer: (next: typeof answer) => {
      answer = next;
    },
    /** Resolves when it has so many spans in all. */
    received: async (count: number) => {
      while (spans.length < count) await new Promise<void>((resolve) => wake.push(resolve));
    },
    close: async () => {
      wake = [];
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Collector = Awaited<ReturnType<typeof openCollector>>;
