// Opens requests of completions' way out to servers on loopback, and reads what comes to its end.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  type BodyReader,
  createStreamingClient,
  isBodyError,
  type StreamingClient,
  type UpstreamRequest,
  type UpstreamResult,
} from "#runtime/net/streaming-client.ts";
import { allow, turn } from "./asking.ts";
import { openPeer, type Peer, type PeerScript } from "./peer.ts";

export const patience = 10_000;

export function open(upstreams: StreamingClient, url: string, more: Partial<UpstreamRequest> = {}) {
  return upstreams.open({
    method: "POST",
    url,
    headers: { "content-type": "application/json" },
    body: '{"a":1}',
    connectMs: patience,
    headersMs: patience,
    signal: new AbortController().signal,
    ...more,
  });
}

/** Reads to the end: the text, and how it ended. */
export async function drain(body: BodyReader, patienceMs = patience): Promise<{ text: string; end: string }> {
  let text = "";
  for (;;) {
    const piece = await body.read(patienceMs);
    if (piece === null) return { text, end: "end" };
    if (isBodyError(piece)) return { text, end: piece.why };
    text += piece.toString("latin1");
  }
}

export function answered(result: UpstreamResult): Extract<UpstreamResult, { kind: "answer" }> {
  assert.ok(result.kind === "answer", JSON.stringify(result));
  return result;
}

export function failed(result: UpstreamResult): Extract<UpstreamResult, { kind: "failed" }> {
  assert.ok(result.kind === "failed", "it was answered");
  assert.match(result.reason, /^\S.*[^.]\.$/);
  return result;
}

export interface Watched extends Peer {
  sockets: Socket[];
  /** The first whole request has arrived. */
  asked: Promise<unknown>;
  /** The first connection is closed: at once, not by a timer. */
  closed(): Promise<void>;
}

export async function withPeer(
  script: PeerScript,
  run: (url: string, upstreams: StreamingClient, peer: Watched) => Promise<void>,
): Promise<void> {
  const sockets: Socket[] = [];
  const asked = Promise.withResolvers<void>();
  const peer = await openPeer({
    ...script,
    onConnect: (socket) => void sockets.push(socket),
    onRequest: (socket, nth, path) => {
      asked.resolve();
      script.onRequest?.(socket, nth, path);
    },
  });
  const closed = async () => {
    for (let turns = 0; turns < 2000; turns++) {
      if (sockets[0]!.destroyed || sockets[0]!.readableEnded) return;
      await turn();
    }
    assert.fail("the connection stays open");
  };
  const upstreams = createStreamingClient({ allow });
  try {
    const url = `http://127.0.0.1:${peer.port}/v1/x?y=1`;
    await run(url, upstreams, { ...peer, sockets, asked: asked.promise, closed });
  } finally {
    await upstreams.close();
    await peer.close();
  }
}

export async function withServer(
  listener: RequestListener,
  run: (url: string, upstreams: StreamingClient) => Promise<void>,
): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstreams = createStreamingClient({ allow });
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, upstreams);
  } finally {
    await upstreams.close();
    server.closeAllConnections();
    server.close();
  }
}

export const chunked =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
export const piece = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
