// A child process for tests of `shared-children.ts`: answers on the channel that it is asked on.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { getPriority, setPriority } from "node:os";

let closed = 0;

interface Tried {
  read?: string;
  write?: string;
  run?: string;
  /** A port of this machine, or the path of a Unix socket. */
  connect?: number | string;
  /** The id of a process. */
  signal?: number;
  /** The id of a process whose priority it lowers. */
  slow?: number;
}

async function attempt({ read, write, run, connect: to, signal, slow }: Tried): Promise<string> {
  try {
    if (read !== undefined) return readFileSync(read).length > 0 ? "read" : "empty";
    if (write !== undefined) writeFileSync(write, "");
    if (run !== undefined) spawnSync(run);
    if (signal !== undefined) process.kill(signal, 0);
    if (slow !== undefined) setPriority(slow, getPriority(slow));
    if (to !== undefined) {
      const socket = typeof to === "string" ? connect(to) : connect(to, "127.0.0.1");
      await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      socket.destroy();
    }
    return "done";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

process.on("message", async (value: { channel: number; message?: unknown; closed?: boolean }) => {
  const { channel, message } = value;
  const answer = (payload: unknown) => process.send?.({ channel, message: payload });
  if (value.closed === true) closed += 1;
  else if (message === "pid") answer(process.pid);
  else if (message === "closed") answer(closed);
  else answer(await attempt(message as Tried));
});
