// Plain TCP connections to servers that do not speak HTTP (mail servers), guarded exactly as HTTP ones are:
// every address that the name resolves to is judged, and the one that was reached as well.

import type { DialResult, Log, Outbound } from "#runtime/runtime.ts";
import { AddressRefusedError, type Connector } from "./connect.ts";

/** `connector`: a guarded one. The socket that comes back is the caller's to end. */
export function createDial(connector: Connector, log?: Log): Outbound["dial"] {
  return ({ host, port, timeoutMs, signal }) => {
    if (signal?.aborted) return Promise.resolve(aborted);
    return new Promise((resolve) => {
      let over = false;
      const end = (result: DialResult) => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve(result);
      };
      const abort = () => end(aborted);
      const timer = setTimeout(() => {
        end({ kind: "not_sent", code: "unreachable", reason: `${host} did not answer in time.` });
      }, timeoutMs);
      signal?.addEventListener("abort", abort, { once: true });
      const target = { hostname: host, host, protocol: "http:", port: String(port) };
      connector.connect(target, (error, socket) => {
        if (socket !== null) {
          // The caller has its result already.
          if (over) socket.destroy();
          else end({ kind: "connected", socket });
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

const aborted: DialResult = {
  kind: "not_sent",
  code: "aborted",
  reason: "It was stopped before it was sent.",
};
