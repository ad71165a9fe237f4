// An SMSC that takes everything a millisecond after it came, and only counts. Ends with its parent.

import { createServer } from "node:net";
import { command, encodePdu, PduReader, responseTo } from "#gateways/sms/smpp/pdu.ts";
import type { Arrivals } from "./provider.ts";

let count = 0;
let marks: number[] = [];
let every = 1;

const server = createServer({ noDelay: true }, (socket) => {
  const reader = new PduReader();
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    const answers: Buffer[] = [];
    for (const { command: id, sequence } of reader.push(chunk)) {
      if (id === command.submitSm) {
        if (count % every === 0 && marks.length < 10) marks.push(Date.now());
        count += 1;
        if (count % every === every - 1 && marks.length === 10) marks.push(Date.now());
        answers.push(encodePdu(responseTo(id), 0, sequence, Buffer.from(`${count.toString(16)}\0`)));
      } else if (id === command.bindTransceiver)
        socket.write(encodePdu(responseTo(id), 0, sequence, Buffer.from("sink\0")));
      else if (id < 0x80000000) socket.write(encodePdu(responseTo(id), 0, sequence));
    }
    if (answers.length > 0) setTimeout(() => socket.write(Buffer.concat(answers)), 1);
  });
});

process.on("disconnect", () => process.exit(0));
process.on("message", (message: { expect?: number; ask?: number }) => {
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
