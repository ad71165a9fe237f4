// The process of its own of the test gateway: it carries lines between its parent and the peer.

import { connect, type Socket } from "node:net";

let socket: Socket | null = null;

process.on("message", ({ host, port, line }: { host?: string; port?: number; line?: string }) => {
  if (line !== undefined) return void socket?.write(`${line}\n`);
  let rest = "";
  socket = connect(Number(port), String(host)).setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      if (text === '{"crash":true}') process.kill(process.pid, "SIGKILL");
      process.send?.(text);
    }
  });
  socket.on("error", () => {});
  socket.on("close", () => process.exit(0));
});
