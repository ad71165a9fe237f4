// A bare `node:http` server: it reads a body, parses it as JSON and answers with as many bytes as a send's answer has.
// What the service reaches is written as a share of this, because machines differ threefold. Ends with its parent.

import { createServer } from "node:http";

/** As long as the answer to one contact. */
const answer = JSON.stringify({ status: "success", message: "x".repeat(440) });

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as { contact?: unknown };
    response.writeHead(Array.isArray(body.contact) ? 200 : 422, {
      "content-type": "application/json; charset=utf-8",
      "content-length": answer.length,
    });
    response.end(answer);
  });
});

process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === "object" && address !== null ? address.port : 0 });
});
