// The yardstick: the least that a proxy in Node can do, `node:http` on both sides. Parses the body, forwards it, adds a field to the
// answer; no key, no limit, no health, no usage.

import { Agent, request as ask, createServer } from "node:http";

const upstream = new URL(process.argv[2] ?? "");
const agent = new Agent({ keepAlive: true, maxSockets: 512 });
const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(pieces).toString()) as { stream?: boolean };
    const text = JSON.stringify(body);
    const forwarded = ask(
      {
        agent,
        host: upstream.hostname,
        port: upstream.port,
        method: "POST",
        path: request.url,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
          authorization: "Bearer sk-bench",
        },
      },
      (answer) => {
        if (body.stream) {
          response.writeHead(200, { "content-type": "text/event-stream" });
          answer.pipe(response);
          return;
        }
        const parts: Buffer[] = [];
        answer.on("data", (piece: Buffer) => parts.push(piece));
        answer.on("end", () => {
          const value = JSON.parse(Buffer.concat(parts).toString()) as object;
          const whole = JSON.stringify({ ...value, service_pool: { provider: "bare" } });
          response.writeHead(200, {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(whole),
          });
          response.end(whole);
        });
      },
    );
    forwarded.end(text);
  });
});
server.keepAliveTimeout = 60_000;
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { port: number }).port }));
