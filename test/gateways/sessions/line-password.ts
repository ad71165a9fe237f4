// What the peer of `line-peer.ts` asks for; in a file of its own for child processes.

export const password = "kernel-panic-42";
