// Sends requests to a raw peer, and holds each verdict against what was handed to a socket: `not_sent` means that the
// request's head was not, anything else that it was once. No reason may carry a piece of the request.

import assert from "node:assert/strict";
import { Socket } from "node:net";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import type { Outbound, OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { openPeer, type Peer, type PeerScript } from "./peer.ts";

export const allow = readAllowList("127.0.0.0/8");
export const canary = "cnry7Qx0Zr3Kd9TfWb2M";
/** Where nothing has to run into it. */
export const patience = 10_000;

/** Paths whose head was handed to a socket, by any client of this process. */
const sending: string[] = [];
const { write } = Socket.prototype;
// For the process: a hook of this module would belong to the first of the files that import it.
Socket.prototype.write = function (this: Socket, ...values: Parameters<typeof write>) {
  const [bytes] = values as [unknown];
  const path = typeof bytes === "string" ? /^[A-Z]+ (\S+) HTTP\/1\.1\r\n/.exec(bytes)?.[1] : undefined;
  if (path !== undefined) sending.push(path);
  return write.apply(this, values);
} as typeof write;

let serial = 0;

/** The path and query of the latest request. */
export const latestPath = () => pathOf(serial);
const pathOf = (nth: number) => `/${nth}?api_key=${canary}`;

/** Sends one request that carries the canary everywhere, and checks what holds for every result. */
export async function ask(
  outbound: Outbound,
  origin: string,
  more: Partial<OutboundRequest> = {},
): Promise<OutboundResult> {
  const path = pathOf(++serial);
  const result = await outbound.request({
    method: "POST",
    url: `${origin}${path}`,
    headers: { authorization: `Bearer ${canary}`, "content-type": "text/plain" },
    body: `to=${canary}`,
    timeoutMs: patience,
    ...more,
  });
  const times = sending.filter((sent) => sent === path).length;
  assert.equal(times, result.kind === "not_sent" ? 0 : 1, `${JSON.stringify(result)}, sent ${times} times`);
  if (result.kind !== "answer") {
    assert.ok(!result.reason.includes(canary), result.reason);
    assert.match(result.reason, /^[A-Z].*[^.]\.$/);
  }
  return result;
}

export async function withPeer<T>(
  script: PeerScript,
  run: (origin: string, outbound: Outbound, peer: Peer) => Promise<T>,
): Promise<T> {
  const peer = await openPeer(script);
  const outbound = createOutbound({ allow, lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
  try {
    return await run(`${script.tls ? "https://peer.test" : "http://127.0.0.1"}:${peer.port}`, outbound, peer);
  } finally {
    await outbound.close();
    await peer.close();
  }
}

/** One turn of the event loop: the client holds a connection back for that long after an answer. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

export const words = (result: OutboundResult) =>
  result.kind === "answer"
    ? `answer ${result.status}`
    : `${result.kind}: ${result.reason.replace(/:\d+/, "")}`;
