// Plain TCP connections to servers that do not speak HTTP (mail servers), guarded exactly as HTTP ones are: every address that the name
// resolves to is checked, and the one that was reached as well.

import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { DialResult, DialTarget, Log, Outbound } from "#runtime/runtime.ts";
import { AddressRefusedError, type Connector } from "./connect.ts";

/** `connector`: a guarded one. The caller closes the returned socket. */
export function createDial(connector: Connector, log?: Log): Outbound["dial"] {
  return ({ host, port, timeoutMs, signal, tls }) => {
    if (signal?.aborted) return Promise.resolve(aborted);
    return new Promise((resolve) => {
      let over = false;
      /** While TLS is being negotiated on it. */
      let raw: Socket | null = null;
      const end = (result: DialResult) => {
        if (over) return;
        over = true;
        if (result.kind !== "connected") raw?.destroy();
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve(result);
      };
      const abort = () => end(aborted);
      const timer = setTimeout(() => {
        end({ kind: "not_sent", code: "unreachable", reason: `${host} did not answer in time.` });
      }, timeoutMs);
      signal?.addEventListener("abort", abort, { once: true });
      const target = { hostname: host, protocol: "http:", port: String(port) };
      connector.connect(target, (error, socket) => {
        if (socket !== null) {
          // The caller already has its result.
          if (over) socket.destroy();
          else if (tls === undefined) end({ kind: "connected", socket });
          else {
            raw = socket;
            secure(socket, host, tls, end);
          }
          return;
        }
        if (error instanceof AddressRefusedError) {
          log?.warn(
            { event: "outbound.refused", host, address: error.address, reason: error.message },
            "An outbound connection was refused.",
          );
          end({ kind: "not_sent", code: "url_not_allowed", reason: error.message });
          return;
        }
        const { code } = (error ?? {}) as NodeJS.ErrnoException;
        const reason = `${host} could not be reached${code === undefined ? "" : ` (${code})`}.`;
        end({ kind: "not_sent", code: "unreachable", reason });
      });
    });
  };
}

/** Encrypts an open connection. NODE_TLS_REJECT_UNAUTHORIZED does not disable certificate verification. */
function secure(
  socket: Socket,
  host: string,
  { ca }: NonNullable<DialTarget["tls"]>,
  end: (result: DialResult) => void,
): void {
  const secured = connectTls({
    socket,
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
  });
  const fail = (error?: NodeJS.ErrnoException) => {
    const code = error?.code === undefined ? "" : ` (${error.code})`;
    end({
      kind: "not_sent",
      code: "unreachable",
      reason: `No secure connection to ${host} came about${code}.`,
    });
  };
  secured.once("error", fail);
  secured.once("close", () => fail());
  secured.once("secureConnect", () => {
    secured.removeListener("error", fail);
    end({ kind: "connected", socket: secured });
  });
}

const aborted: DialResult = {
  kind: "not_sent",
  code: "aborted",
  reason: "It was stopped before it was sent.",
};
