// Reads what `strace -f -yy -xx` prints of a server: what it writes to its files, what it flushes, and what it sends.
// Lines come in the order in which the kernel was entered and left; a call that another thread's interrupts is two lines.

export type TraceEvent =
  | { kind: "write"; file: string; offset: number; data: Buffer }
  | { kind: "truncate"; file: string; size: number }
  /** A flush begins: it covers what was written to the file until now. */
  | { kind: "sync"; file: string; thread: string }
  /** It has succeeded. */
  | { kind: "synced"; file: string; thread: string }
  /** Bytes leave on a socket. `socket` names it; `port` is its own, `peer` the other side's. */
  | { kind: "sent"; socket: string; port: number; peer: number; data: Buffer };

/** The arguments of strace that `readTrace` understands. Strings are whole up to 128 KiB. */
export const straceArguments = (file: string): string[] => [
  ..."-f -qq -yy -xx -s 131072 --seccomp-bpf -e signal=none".split(" "),
  ..."-e trace=pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync,ftruncate".split(" "),
  "-o",
  file,
];

/** Names of sockets have a `>` of their own. */
const callLine = /^(\d+) +(\w+)\((\d+)<((?:->|[^>])*)>(.*)$/;
const resumedLine = /^(\d+) +<\.\.\. (\w+) resumed>.*\) += (-?\d+)/;
const socketName = /^(?:TCP|TCPv6):\[.*:(\d+)->.*:(\d+)\]$/;
const failed = /\) += -\d+/;

const bytes = (text: string) => Buffer.from(text.replaceAll("\\x", ""), "hex");
/** strace prints the names of files as it prints data. */
const nameOf = (text: string) => (text.startsWith("\\x") ? bytes(text).toString("utf8") : text);

/** Turns lines into events, one line at a time. Lines of no interest give none. */
export function readTrace(): (line: string) => TraceEvent | null {
  const interrupted = new Map<string, string>();
  return (line) => {
    const resumed = resumedLine.exec(line);
    if (resumed) {
      const [, thread = "", call, result] = resumed;
      const file = interrupted.get(thread);
      interrupted.delete(thread);
      const flushed = call === "fsync" || call === "fdatasync";
      return flushed && file !== undefined && result === "0" ? { kind: "synced", file, thread } : null;
    }
    const found = callLine.exec(line);
    if (!found) return null;
    const [, thread = "", call, , name = "", rest = ""] = found;
    const file = nameOf(name);
    const socket = socketName.exec(file);
    if (socket) {
      const data = Buffer.concat(
        [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => bytes(hex!)),
      );
      return { kind: "sent", socket: file, port: Number(socket[1]), peer: Number(socket[2]), data };
    }
    if (failed.test(rest)) return null;
    switch (call) {
      case "pwrite64": {
        const [, hex = "", size, offset] = /^, "((?:\\x[0-9a-f]{2})*)", (\d+), (\d+)/.exec(rest) ?? [];
        const data = bytes(hex);
        if (data.length !== Number(size))
          throw new Error(`A write was not traced whole: ${line.slice(0, 200)}`);
        return { kind: "write", file, offset: Number(offset), data };
      }
      case "ftruncate":
        return { kind: "truncate", file, size: Number(/^, (\d+)/.exec(rest)?.[1]) };
      case "fsync":
      case "fdatasync":
        if (rest.includes("<unfinished")) {
          interrupted.set(thread, file);
          return { kind: "sync", file, thread };
        }
        return { kind: "synced", file, thread };
      default:
        return null;
    }
  };
}
