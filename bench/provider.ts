// An HTTP provider that answers at once and only counts: no disk, no parser, so that what is measured is
// the server. A message over IPC says whether it accepts requests (`open`) or refuses its caller (401, which pauses
// the gateway's lane). Ends with its parent.

import { createServer } from "node:net";

export interface Arrivals {
  count: number;
  /** Epoch ms of the first message, and of every further tenth of `expected`. */
  marks: number[];
}

let open = true;
let count = 0;
let marks: number[] = [];
let every = 1;

const refusal = Buffer.from("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}");

const server = createServer({ noDelay: true }, (socket) => {
  let rest = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest += chunk.toString("latin1");
    let answers = "";
    for (;;) {
      const bodyAt = rest.indexOf("\r\n\r\n");
      if (bodyAt === -1) break;
      const length = Number(/content-length: *(\d+)/i.exec(rest.slice(0, bodyAt))?.[1] ?? 0);
      const end = bodyAt + 4 + length;
      if (rest.length < end) break;
      rest = rest.slice(end);
      if (!open) {
        socket.write(refusal);
        continue;
      }
      if (count % every === 0) marks.push(Date.now());
      count += 1;
      if (count % every === every - 1 && marks.length === 10) marks.push(Date.now());
      const body = `{"messages":[{"id":"p${count}"}]}`;
      answers += `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    }
    if (answers !== "") socket.write(answers);
  });
});

process.on("disconnect", () => process.exit(0));
process.on("message", (message: { open?: boolean; expect?: number; ask?: number }) => {
  if (message.open !== undefined) open = message.open;
  if (message.expect !== undefined) {
    every = Math.max(1, Math.floor(message.expect / 10));
    count = 0;
    marks = [];
  }
  if (message.ask !== undefined)
    process.send?.({ answer: message.ask, result: { count, marks } satisfies Arrivals });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === "object" && address !== null ? address.port : 0 });
});
