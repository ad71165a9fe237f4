// A connection that writes bytes as they are: for what no HTTP client would send.

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Line {
  socket: Socket;
  /** Resolves when the bytes have left this process, or the connection is gone. */
  write(bytes: string | Buffer): Promise<void>;
  /** What came, the first MiB of it. */
  received(): string;
  bytes(): number;
  /** The statuses of the answers in what came. */
  statuses(): number[];
  /** Whether it matched before the connection ended and before the time was over. */
  until(pattern: RegExp, ms: number): Promise<boolean>;
  /** Whether the server closed it within that time. */
  closed(ms: number): Promise<boolean>;
  /** Forgets what came. */
  clear(): void;
  end(): void;
}

const kept = 1024 * 1024;

/** `from`: the address it comes from. Null when no connection was made within 10 s. */
export async function openLine(base: string, from?: string): Promise<Line | null> {
  const { hostname, port } = new URL(base);
  const socket = connect({
    host: hostname,
    port: Number(port),
    ...(from === undefined ? {} : { localAddress: from }),
  });
  socket.on("error", () => {});
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(10_000) });
  } catch {
    socket.destroy();
    return null;
  }
  let text = "";
  let bytes = 0;
  let over = false;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const each of waiting) each();
  };
  socket.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (text.length < kept) text += piece.toString("latin1");
    look();
  });
  const gone = () => {
    over = true;
    look();
  };
  socket.on("end", gone).on("close", gone);
  const when = (holds: () => boolean, ms: number) =>
    new Promise<boolean>((resolve) => {
      const each = () => {
        if (!holds() && !over) return;
        finish(holds());
      };
      const finish = (result: boolean) => {
        waiting.delete(each);
        clearTimeout(timer);
        resolve(result);
      };
      const timer = setTimeout(() => finish(false), ms);
      waiting.add(each);
      each();
    });
  return {
    socket,
    write: (piece) =>
      new Promise((resolve) => {
        if (over || !socket.writable) return resolve();
        const done = () => {
          waiting.delete(ended);
          resolve();
        };
        const ended = () => {
          if (over) done();
        };
        waiting.add(ended);
        socket.write(piece, done);
      }),
    received: () => text,
    bytes: () => bytes,
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    until: (pattern, ms) => when(() => pattern.test(text), ms),
    closed: (ms) => when(() => over, ms),
    clear: () => {
      text = "";
    },
    end: () => socket.destroy(),
  };
}

/** A request's head, with the blank line. */
export function head(method: string, path: string, lines: readonly string[] = []): string {
  return `${[`${method} ${path} HTTP/1.1`, "Host: x", ...lines].join("\r\n")}\r\n\r\n`;
}
