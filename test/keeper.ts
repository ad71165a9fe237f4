// A program that keeps something for the tests, such as a server or a browser, which must not outlive them. Its standard input
// is a pipe from them: when that pipe closes, for any reason, `kill -9` of the tests included, the keeper ends what it keeps.
// Once what it keeps can be used, it writes `ready URL` to its standard output.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

export interface Kept {
  /** Where the tests reach what is kept. */
  url: string;
  /** Resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a keeper, the program `file`. It does not hold this process up, and ends with it. `what`: what it keeps, for an error.
 */
export function startKeeper(file: string, what: string): Promise<Kept> {
  return new Promise((resolve, reject) => {
    const keeper = spawn(process.execPath, [fileURLToPath(file)], {
      stdio: ["pipe", "pipe", "inherit"],
      detached: true, // a Ctrl-C is for the tests; the keeper follows them
      env: { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: "" },
    });
    const gone = new Promise<void>((exited) => keeper.once("exit", () => exited()));
    let output = "";
    keeper.once("error", reject);
    keeper.once("exit", (code) => reject(new Error(`${what} for the tests did not start (exit ${code})`)));
    keeper.stdout.setEncoding("utf8");
    keeper.stdout.on("data", (chunk: string) => {
      output += chunk;
      const url = /^ready (\S+)$/m.exec(output)?.[1];
      if (url === undefined) return;
      keeper.unref();
      for (const stream of [keeper.stdin, keeper.stdout] as unknown as { unref?(): void }[]) stream.unref?.();
      resolve({
        url,
        stop() {
          keeper.ref();
          keeper.stdin.end();
          return gone;
        },
      });
    });
  });
}

/**
 * Answers requests for the paths with what these make of the request's parameters: `npm test` has one of each for all its
 * processes, from when the first one asks.
 */
export async function onDemand(
  makers: Readonly<Record<string, (parameters: URLSearchParams) => Promise<string>>>,
): Promise<{ address: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    const make = makers[pathname] ?? (() => Promise.reject(new Error(`no ${request.url}`)));
    make(searchParams).then(
      (text) => response.end(text),
      (error: unknown) => {
        response.statusCode = 500;
        response.end(error instanceof Error ? error.message : String(error));
      },
    );
  });
  await new Promise<void>((listening, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", listening);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What `onDemand` answers at this address. */
export async function askFor(address: string | URL): Promise<string> {
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
