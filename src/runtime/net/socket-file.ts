// A Unix socket: a file at which programs of the same machine connect. The file's permissions decide who may connect, so it needs no
// password.

import { lstatSync, unlinkSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";

/** The longest path that every system accepts: 104 bytes including the terminating zero on macOS, 108 on Linux. */
const maxPathBytes = 103;

export interface SocketFile {
  /** Accepts no new connections, and removes the file. Open connections stay with their owners. */
  close(): void;
}

/** Why there is no socket: the system's error code, `TOO_LONG` for the path, `IN_USE` by another process, or `NOT_A_SOCKET`. */
export type NoSocket = { reason: string };

/** Whether a process listens at the path. A file that a killed process left refuses connections. */
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
 * Listens at `path` for programs of the same user (mode 0600), and passes on each connection. A file that a killed process left is
 * replaced; that of a running process is not.
 */
export async function listenAtSocketFile(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<SocketFile | NoSocket> {
  // Windows has no such files.
  if (process.platform === "win32") return { reason: "ENOTSUP" };
  // Node would truncate the path and listen at another one.
  if (Buffer.byteLength(path) > maxPathBytes) return { reason: "TOO_LONG" };
  const first = await listen(path, onConnection);
  if (!("reason" in first) || first.reason !== "EADDRINUSE") return first;
  if (await isListening(path)) return { reason: "IN_USE" };
  try {
    unlinkSync(path);
  } catch {
    // Another process that starts at the same moment was first.
  }
  const second = await listen(path, onConnection);
  if (!("reason" in second) || second.reason !== "EADDRINUSE") return second;
  return { reason: isSocket(path) ? "IN_USE" : "NOT_A_SOCKET" };
}

/** Whether the file at the path, if it still exists, is a socket: a folder cannot be replaced. */
function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? true;
}

async function listen(path: string, onConnection: (socket: Socket) => void): Promise<SocketFile | NoSocket> {
  const server = createServer((socket) => {
    // A process that only checked for a listener resets the connection.
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  // `listen` creates the file itself, before it returns: other users can never connect, not even for a moment.
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
