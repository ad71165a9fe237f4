// A process of ours beside the service, on the other end of an IPC channel: it announces itself with `{ ready, … }` and
// answers orders that carry a number. It ends when the channel closes.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface PeerProcess<Ready> {
  /** What it announced. */
  ready: Ready;
  send(order: object): void;
  /** Sends `{ [name]: number, …more }` and resolves with the `result` of the answer to that number. */
  ask<T>(name: string, more?: object): Promise<T>;
  close(): Promise<void>;
}

/** Starts a file of this folder. */
export function startPeerProcess<Ready>(file: string): Promise<PeerProcess<Ready>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    serialization: "advanced",
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const asked = new Map<number, (result: unknown) => void>();
  let asking = 0;
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${file} ended (${code})`)));
    child.on("message", (message: { ready?: boolean; answer?: number; result?: unknown }) => {
      if (message.answer !== undefined) {
        asked.get(message.answer)?.(message.result);
        asked.delete(message.answer);
      }
      if (!message.ready) return;
      resolve({
        ready: message as Ready,
        send: (order) => void child.send(order),
        ask: <T>(name: string, more: object = {}) =>
          new Promise<T>((answered) => {
            asking += 1;
            asked.set(asking, (result) => answered(result as T));
            child.send({ ...more, [name]: asking });
          }),
        close: () => {
          if (child.connected) child.disconnect();
          return gone;
        },
      });
    });
  });
}
