// A mail server that takes everything at once and only counts: no disk, no parser, so that what is measured is the
// server that hands over. It offers PIPELINING, as every mail server does. Ends with its parent.

import { createServer } from "node:net";
import type { Arrivals } from "./provider.ts";

let count = 0;
let marks: number[] = [];
let every = 1;
/** Of the mails: to say how long one was, and that it was signed. */
let bytes = 0;
let signatures = 0;

const end = Buffer.from("\r\n.\r\n");
const hello = "250-sink.test\r\n250-PIPELINING\r\n250 SIZE 52428800\r\n";

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  let inData = false;
  socket.on("error", () => socket.destroy());
  socket.write("220 sink.test ESMTP\r\n");
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let answers = "";
    for (;;) {
      const stop = inData ? rest.indexOf(end) : rest.indexOf("\r\n");
      if (stop === -1) break;
      if (inData) {
        arrived(rest.subarray(0, stop));
        rest = rest.subarray(stop + end.length);
        inData = false;
        answers += `250 2.0.0 Ok: queued as ${count}\r\n`;
        continue;
      }
      const command = rest.toString("latin1", 0, Math.min(stop, 4)).toUpperCase();
      rest = rest.subarray(stop + 2);
      if (command === "EHLO") answers += hello;
      else if (command === "DATA") {
        inData = true;
        answers += "354 Go ahead\r\n";
      } else if (command === "QUIT") answers += "221 2.0.0 Bye\r\n";
      else answers += "250 2.0.0 Ok\r\n";
    }
    if (answers !== "") socket.write(answers);
  });
});

function arrived(mail: Buffer): void {
  if (count % every === 0) marks.push(Date.now());
  if (count === 0) {
    bytes = mail.length;
    signatures = mail.toString("latin1", 0, 4096).split("DKIM-Signature:").length - 1;
  }
  count += 1;
  if (count % every === every - 1 && marks.length === 10) marks.push(Date.now());
}

export interface MailArrivals extends Arrivals {
  /** Of the first mail. */
  bytes: number;
  signatures: number;
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: { expect?: number; ask?: number }) => {
  if (message.expect !== undefined) {
    every = Math.max(1, Math.floor(message.expect / 10));
    count = 0;
    marks = [];
  }
  if (message.ask !== undefined) {
    const result = { count, marks, bytes, signatures } satisfies MailArrivals;
    process.send?.({ answer: message.ask, result });
  }
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === "object" && address !== null ? address.port : 0 });
});
