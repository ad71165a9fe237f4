// Sends requests to a raw peer, and holds each verdict against undici's own sendHeaders event: `not_sent` means
// that there was none, anything else that there was exactly one. No reason may carry a piece of the request.

import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import type { Outbound, OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { openPeer, type Peer, type PeerScript } from "./peer.ts";

export const allow = readAllowList("127.0.0.0/8");
export const canary = "cnry7Qx0Zr3Kd9TfWb2M";
/** Where nothing has to run into it. */
export const patience = 10_000;

/** Paths whose head undici says it is sending. */
const sending: string[] = [];
const onSendHeaders = (message: unknown) =>
  void sending.push((message as { request: { path: string } }).request.path);
// For the process: a hook of this module would belong to the first of the files that import it.
subscribe("undici:client:sendHeaders", onSendHeaders);

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
  assert.equal(
    times,
    result.kind === "not_sent" ? 0 : 1,
    `${JSON.stringify(result)}, sendHeaders ${times} times`,
  );
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

/** One turn of the event loop: undici holds a connection back for that long after an answer. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

export const words = (result: OutboundResult) =>
  result.kind === "answer"
    ? `answer ${result.status}`
    : `${result.kind}: ${result.reason.replace(/:\d+/, "")}`;
