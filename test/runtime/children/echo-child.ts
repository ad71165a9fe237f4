// A child process for tests: answers what it is sent, and ends as asked.

import { connect } from "node:net";

process.on("message", (message: unknown) => {
  if (message === "crash") process.kill(process.pid, "SIGKILL");
  else if (message === "leave") process.exit(7);
  else if (message === "environment") process.send?.(Object.keys(process.env));
  else if (message === "noise") {
    const line = `${"x".repeat(1023)}\n`;
    for (let count = 0; count < 1024; count += 1) process.stdout.write(line);
    process.send?.("made noise");
  } else if (message === "deaf") {
    process.on("SIGTERM", () => {});
    process.send?.("is deaf");
  } else if (typeof message === "object" && message !== null && "port" in message) {
    // Holds a connection for as long as it lives.
    connect(Number(message.port), "127.0.0.1");
  } else process.send?.(message);
});
