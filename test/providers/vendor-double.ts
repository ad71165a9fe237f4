// A server on loopback that answers a vendor's own SDK with a recording, and keeps what the SDK sent.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { StreamPiece } from "#providers/provider.ts";
import { checkedChunk } from "./openai-shapes.ts";

export interface Sent {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** Answers everything with `wire`; `sent` is the last request. */
export async function vendorDouble(wire: string, type: string) {
  let sent: Sent | null = null;
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    const { method = "", url: path = "", headers } = request;
    sent = { method, path, headers, body: text === "" ? null : JSON.parse(text) };
    response.writeHead(200, { "content-type": type }).end(wire);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What was said and called, of the first choice. */
export function spoken(pieces: readonly StreamPiece[]) {
  let text = "";
  let reasoning = "";
  const calls: { name: string; arguments: string }[] = [];
  for (const piece of pieces) {
    if (piece.kind !== "chunk") continue;
    for (const { index, delta } of checkedChunk(piece).choices) {
      if (index !== 0) continue;
      text += delta.content ?? "";
      reasoning += delta.reasoning_content ?? "";
      for (const call of delta.tool_calls ?? []) {
        calls[call.index] ??= { name: "", arguments: "" };
        const own = calls[call.index]!;
        own.name += call.function.name ?? "";
        own.arguments += call.function.arguments ?? "";
      }
    }
  }
  return {
    text,
    reasoning,
    calls: calls.map(({ name, arguments: text }) => ({ name, input: JSON.parse(text) as unknown })),
  };
}
