// A Graph API that takes every message and every file at once and only counts, and a server of one file: what is measured is
// ours. Ends with its parent.

import { createServer } from "node:http";
import type { Arrivals } from "./provider.ts";

export interface GraphArrivals extends Arrivals {
  uploads: number;
  fetches: number;
}

/** A picture as far as its first bytes tell. */
const file = Buffer.alloc(2_000_000, "pixel");
Buffer.from("\x89PNG\r\n\x1a\n", "latin1").copy(file);

let count = 0;
let marks: number[] = [];
let every = 1;
let uploads = 0;
let fetches = 0;

function arrived(): string {
  if (count % every === 0) marks.push(Date.now());
  count += 1;
  if (count % every === every - 1 && marks.length === 10) marks.push(Date.now());
  return JSON.stringify({ messaging_product: "whatsapp", messages: [{ id: `wamid.p${count}` }] });
}

const server = createServer({ noDelay: true }, (request, response) => {
  request.resume();
  request.once("end", () => {
    const { url = "" } = request;
    if (request.method === "GET") {
      fetches += 1;
      response.writeHead(200, { "content-type": "image/png", "content-length": file.length }).end(file);
      return;
    }
    let body: string;
    if (url.endsWith("/media")) {
      uploads += 1;
      body = JSON.stringify({ id: String(1000 + uploads) });
    } else body = arrived();
    response
      .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
      .end(body);
  });
});

process.on("disconnect", () => process.exit(0));
process.on("message", (message: { expect?: number; ask?: number }) => {
  if (message.expect !== undefined) {
    every = Math.max(1, Math.floor(message.expect / 10));
    count = 0;
    marks = [];
    uploads = 0;
    fetches = 0;
  }
  if (message.ask !== undefined)
    process.send?.({
      answer: message.ask,
      result: { count, marks, uploads, fetches } satisfies GraphArrivals,
    });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === "object" && address !== null ? address.port : 0 });
});
