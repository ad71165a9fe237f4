// The operator's socket: a file in the data folder through which the command line reaches the running process. A user who may open the file
// may also read the database and the master key next to it, so a request through it is an operator's without a token.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { listenAtSocketFile, type NoSocket, type SocketFile } from "#runtime/net/socket-file.ts";

const operatorSockets = new WeakSet<Socket>();

/** Whether a request came through the operator's socket. */
export function cameThroughOperatorSocket({ socket }: { socket: Socket }): boolean {
  return operatorSockets.has(socket);
}

/** Opens the socket at `path` for the requests that `server` answers. */
export async function openOperatorSocket(server: Server, path: string): Promise<SocketFile | NoSocket> {
  return await listenAtSocketFile(path, (socket) => {
    operatorSockets.add(socket);
    server.emit("connection", socket);
  });
}
