// A Unix socket: a file in the file system at which programs of the same machine connect. Who may connect is decided by the
// file's permissions, so that it needs no password.

import { lstatSync, unlinkSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";

/** The longest path that every system takes: 104 bytes with the zero at the end on macOS, 108 on Linux. */
const maxPathBytes = 103;

export interface SocketFile {
  /** Takes no new connection, and removes the file. Open connections stay with who got them. */
  close(): void;
}

/** Why there is no socket: the system's error code, `TOO_LONG` for the path, `IN_USE` by another process, or `NOT_A_SOCKET`. */
export type NoSocket = { reason: string };

/** Whether a process listens at the path. A file that a killed process left refuses. */
export async function isListening(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}

/**
 * Listens at `path` for programs of the same user (mode 0600), and hands each connection over. A file that a killed process
 * left is replaced; that of a running process is not.
 */
export async function listenAtSocketFile(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<SocketFile | NoSocket> {
  // Windows has no such files.
  if (process.platform === "win32") return { reason: "ENOTSUP" };
  // Node would cut the path off, and listen at another one.
  if (Buffer.byteLength(path) > maxPathBytes) return { reason: "TOO_LONG" };
  const first = await listen(path, onConnection);
  if (!("reason" in first) || first.reason !== "EADDRINUSE") return first;
  if (await isListening(path)) return { reason: "IN_USE" };
  try {
    unlinkSync(path);
  } catch {
    // Another process, which starts at the same moment, was faster.
  }
  const second = await listen(path, onConnection);
  if (!("reason" in second) || second.reason !== "EADDRINUSE") return second;
  return { reason: isSocket(path) ? "IN_USE" : "NOT_A_SOCKET" };
}

/** Whether what lies at the path, if anything still does, is a socket: a folder cannot be replaced. */
function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? true;
}

async function listen(path: string, onConnection: (socket: Socket) => void): Promise<SocketFile | NoSocket> {
  const server = createServer((socket) => {
    // Who only looked whether there is a listener resets the connection.
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  // The file is made by `listen` itself, before it returns: never for a moment may others connect.
  const umask = process.umask(0o177);
  try {
    return await new Promise((resolve) => {
      server.once("error", (error: NodeJS.ErrnoException) => resolve({ reason: error.code ?? "unknown" }));
      server.listen(path, () => resolve({ close: () => void server.close() }));
      process.umask(umask);
    });
  } finally {
    process.umask(umask);
  }
}
