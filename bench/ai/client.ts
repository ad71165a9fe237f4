// The load client: raw sockets, bytes made before the clock runs, answers read no further than needed.

import { connect } from "node:net";

export interface Target {
  name: string;
  port: number;
  path: string;
  headers: Record<string, string>;
  /** The whole body, where it is not a chat completion. */
  body?: object;
}

const messages = [
  { role: "system", content: "You are a helpful assistant that answers shortly." },
  { role: "user", content: "Tell me something about foxes, dogs and laziness." },
];

function bytes(target: Target, more: object): Buffer {
  const body = JSON.stringify(target.body ?? { model: "bench", messages, temperature: 0.5, ...more });
  const headers = Object.entries({ ...target.headers, "content-type": "application/json" })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const head = `POST ${target.path} HTTP/1.1\r\nhost: 127.0.0.1:${target.port}\r\n${headers}`;
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** A closed loop: `connections` ask again when they are answered. Returns answers a second, after a tenth of warming up. */
export function throughput(target: Target, connections: number, ms: number): Promise<number> {
  const request = bytes(target, {});
  const from = performance.now() + ms / 10;
  const until = performance.now() + ms;
  let done = 0;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port: target.port, noDelay: true });
      let got = 0;
      let expected = -1;
      let head = "";
      socket.on("connect", () => socket.write(request));
      socket.on("error", reject);
      socket.on("data", (piece: Buffer) => {
        got += piece.length;
        if (expected < 0) {
          head += piece.toString("latin1");
          const end = head.indexOf("\r\n\r\n");
          if (end < 0) return;
          if (!head.startsWith("HTTP/1.1 200"))
            return reject(new Error(`${target.name}: ${head.slice(0, 300)}`));
          const length = /content-length: *(\d+)/i.exec(head.slice(0, end))?.[1];
          if (length !== undefined) expected = end + 4 + Number(length);
        }
        if (expected < 0 ? !head.endsWith("\r\n0\r\n\r\n") : got < expected) return;
        const now = performance.now();
        if (now >= from && now < until) done += 1;
        if (now >= until) {
          socket.destroy();
          return resolve();
        }
        got = 0;
        expected = -1;
        head = "";
        socket.write(request);
      });
    });
  return Promise.all(Array.from({ length: connections }, one)).then(() => done / ((until - from) / 1000));
}

/** One request on a fresh connection that is kept: ms until the answer is whole, or until the first text of a stream. */
export function oneByOne(target: Target, stream: boolean): { ask(): Promise<number>; close(): void } {
  const request = bytes(target, stream ? { stream: true, max_tokens: 5 } : {});
  const socket = connect({ host: "127.0.0.1", port: target.port, noDelay: true });
  let heard: ((text: string) => void) | null = null;
  socket.on("data", (piece: Buffer) => heard?.(piece.toString("latin1")));
  return {
    ask: () =>
      new Promise((resolve) => {
        const started = performance.now();
        let text = "";
        let first = 0;
        heard = (piece) => {
          text += piece;
          if (first === 0 && (stream ? text.includes("word 0") : text.includes("\r\n\r\n")))
            first = performance.now();
          const whole = stream
            ? text.endsWith("0\r\n\r\n")
            : /\r\n\r\n./.test(text) && (text.trimEnd().endsWith("}") || text.endsWith("0\r\n\r\n"));
          if (whole) resolve((stream ? first : performance.now()) - started);
        };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** `count` streams at once, paced at 30 tokens/s: how many frames came, of how many that were sent, and how many ended well. */
export async function manyStreams(
  target: Target,
  count: number,
  tokens: number,
): Promise<{ frames: number; expected: number; whole: number }> {
  const request = bytes(target, { stream: true, max_tokens: tokens, user: "paced" });
  let frames = 0;
  let whole = 0;
  const one = () =>
    new Promise<void>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port: target.port, noDelay: true });
      let tail = "";
      socket.on("connect", () => socket.write(request));
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
      socket.on("data", (piece: Buffer) => {
        const text = tail + piece.toString("latin1");
        const parts = text.split('"word ').length - 1;
        frames += parts;
        // What may be the beginning of a mark is looked at again with the next piece.
        tail = text.slice(-5);
        if (!text.includes("[DONE]")) return;
        whole += 1;
        socket.destroy();
        resolve();
      });
    });
  const starting: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    starting.push(one());
    if (i % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await Promise.all(starting);
  return { frames, expected: count * tokens, whole };
}
