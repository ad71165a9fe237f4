// The ceiling: the least that a Node proxy can do. Parses the body, forwards it, adds a field to the answer; no
// key, no limit, no health, no usage.

import { createServer } from "node:http";
import { Pool } from "undici";

const pool = new Pool(process.argv[2] ?? "", { connections: 256, pipelining: 1 });
const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", async () => {
    const body = JSON.parse(Buffer.concat(pieces).toString()) as { stream?: boolean };
    const upstream = await pool.request({
      method: "POST",
      path: request.url ?? "",
      headers: { "content-type": "application/json", authorization: "Bearer sk-bench" },
      body: JSON.stringify(body),
    });
    if (body.stream) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      upstream.body.pipe(response);
      return;
    }
    const value = (await upstream.body.json()) as object;
    const text = JSON.stringify({ ...value, service_pool: { provider: "bare" } });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    });
    response.end(text);
  });
});
server.keepAliveTimeout = 60_000;
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { port: number }).port }));
