// What a hostile provider does to a connection on which it was asked something: each is bounded in bytes and time, and
// stops when the connection closes.

import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";

export type HostileAnswer = (socket: Socket, asked: { authorization: string }) => void | Promise<void>;

const mib = 1024 * 1024;
const answerHead = (...lines: string[]) =>
  `${["HTTP/1.1 200 OK", "Content-Type: application/json", ...lines].join("\r\n")}\r\n\r\n`;
const chunked = answerHead("Transfer-Encoding: chunked");
const stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const choice = '{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}';
const completion = (more: string) =>
  `{"id":"x","object":"chat.completion","model":"m","choices":[${choice}],${more}}`;

/** Writes `piece` until so many bytes are out or the connection is gone. */
async function flood(socket: Socket, piece: string | Buffer, bytes: number): Promise<void> {
  const block = Buffer.alloc(Math.ceil(65_536 / piece.length) * piece.length, piece);
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += block.length) {
    const taken = socket.write(block);
    if (!taken) {
      await new Promise<void>((resolve) => {
        const go = () => {
          socket.off("drain", go).off("close", go);
          resolve();
        };
        socket.once("drain", go).once("close", go);
      });
    }
    // Others of this process shall have their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const whole = (body: string | Buffer, ...lines: string[]): HostileAnswer => {
  return (socket) => {
    socket.write(answerHead(`Content-Length: ${body.length}`, ...lines));
    socket.write(body);
  };
};

const flooded =
  (start: string, piece: string, mebibytes: number): HostileAnswer =>
  async (socket) => {
    socket.write(start);
    await flood(socket, piece, mebibytes * mib);
    socket.destroy();
  };

const bomb = gzipSync(Buffer.alloc(64 * mib, "a"));

/** By name; the names are models of the hostile member, and paths of its SMS API. */
export const hostileAnswers: Record<string, HostileAnswer> = {
  "one-byte-chunks": flooded(`${chunked}1\r\n"\r\n`, "1\r\nx\r\n", 120),
  "many-values": async (socket) => {
    socket.write(answerHead("Connection: close"));
    socket.write('{"choices":[');
    await flood(socket, "{},", 60 * mib);
    socket.end("{}]}");
  },
  "many-brackets": whole(`{"choices":[${"[".repeat(10 * mib)}`),
  "endless-text": flooded(`${answerHead("Connection: close")}{"choices":["`, "x", 256),
  "endless-line": flooded(stream, "data: {", 128),
  "endless-data-lines": flooded(stream, "data:\n", 64),
  "endless-comments": flooded(stream, ": ping\n\n", 64),
  "endless-empty-events": flooded(stream, 'data: {"choices":[]}\n\n', 128),
  "gzip-bomb": whole(bomb, "Content-Encoding: gzip"),
  "gzip-bomb-unsaid": whole(bomb),
  "header-flood": (socket) => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `X-${at}: ${"v".repeat(80)}`);
    socket.write(answerHead(...lines, "Content-Length: 2"));
    socket.write("{}");
  },
  "endless-1xx": flooded("", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", 16),
  "two-lengths": (socket) => {
    const body = completion('"usage":null');
    socket.write(
      `${answerHead(`Content-Length: ${body.length}`, "Transfer-Encoding: chunked")}0\r\n\r\n${body}`,
    );
  },
  "header-injection": (socket) => {
    const body = completion('"usage":null,"x":"\\r\\nSet-Cookie: planted=1"').replace(
      '"m"',
      '"m\\r\\nX-Planted: 1"',
    );
    socket.write(answerHead(`Content-Length: ${body.length}`, "Set-Cookie: planted=1", "X-Planted: 1"));
    socket.write(body);
  },
  "wild-usage": whole(
    completion(
      '"usage":{"prompt_tokens":1e308,"completion_tokens":-5,"total_tokens":"x"},"__proto__":{"planted":1}',
    ),
  ),
  /** A good stream, but for its end. */
  "endless-stream": flooded(
    stream,
    `data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"${"word ".repeat(40)}"},"finish_reason":null}]}\n\n`,
    16,
  ),
  silent: () => {},
  "one-byte-a-second": async (socket) => {
    socket.write(answerHead("Content-Length: 1000"));
    for (let at = 0; at < 60 && !socket.destroyed; at += 1) {
      socket.write(" ");
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    socket.destroy();
  },
  "key-in-error": (socket, { authorization }) => {
    const body = JSON.stringify({ error: { message: `Wrong key ${authorization}`, code: authorization } });
    socket.write(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  },
  "retry-for-30-years": (socket) => {
    socket.write("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 946080000\r\nContent-Length: 2\r\n\r\n{}");
  },
};
