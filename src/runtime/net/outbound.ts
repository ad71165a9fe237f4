// The only outbound HTTP client. It guarantees that forbidden addresses are never contacted, and that `not_sent` means that no byte of the
// request left. It never follows redirects or the environment's proxy settings.

import type { Log, Outbound, OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import type { AllowList } from "./address.ts";
import { guardedConnector, guardedLookup, type Lookup, systemLookup } from "./connect.ts";
import { createDial } from "./dial.ts";
import { Exchange } from "./exchange.ts";
import { HttpClient } from "./http/client.ts";
import { connectionHeaders } from "./http/request-head.ts";
import { ProxyClients } from "./proxy.ts";
import { readTarget, targetReader } from "./url.ts";

/** A connection that was idle for longer is not reused: a peer that closes it meanwhile causes an unknown outcome. */
const idleMs = 1000;
const connectionsPerOrigin = 256;
const defaultMaxBytes = 1024 * 1024;

interface OutboundOptions {
  allow: AllowList;
  /** Receives a warning for each refused address. */
  log?: Log;
  /** Replaces DNS in tests. Its answers are checked like any others. */
  lookup?: Lookup;
}

/**
 * HTTP/1.1 over keep-alive connections of its own, one request at a time on each. Answers are not decompressed: requests ask for
 * `accept-encoding: identity`. Certificates are always verified.
 */
export function createOutbound({ allow, log, lookup = systemLookup }: OutboundOptions): Outbound {
  const connector = guardedConnector(allow, guardedLookup(allow, lookup));
  // What a peer says about keeping connections may shorten the time, and never prolong it.
  const options = { connector, connectionsPerOrigin, idleMs, hintMarginMs: idleMs };
  const direct = new HttpClient(options);
  const proxied = new ProxyClients(options);
  let closing = false;
  let running = 0;
  let whenIdle: (() => void) | null = null;

  const targetOf = targetReader(allow);

  function request(request: OutboundRequest): Promise<OutboundResult> {
    const target = targetOf(request.url);
    const { host, refused } = target;
    if (refused !== null) {
      log?.warn({ event: "outbound.refused", host, reason: refused }, "An outbound request was refused.");
      return Promise.resolve({
        kind: "not_sent",
        code: "url_not_allowed",
        reason: `Not allowed: ${refused}.`,
      });
    }
    if (closing || request.signal?.aborted) {
      return Promise.resolve({
        kind: "not_sent",
        code: "aborted",
        reason: `Stopped before anything was sent to ${host}.`,
      });
    }
    return new Promise((resolve) => {
      const limits = {
        host,
        timeoutMs: request.timeoutMs,
        maxBytes: request.maxBytes ?? defaultMaxBytes,
        truncate: request.truncate ?? false,
        signal: request.signal,
      };
      const exchange = new Exchange(limits, (result) => {
        if (exchange.refusal !== null) {
          const { address, message } = exchange.refusal;
          log?.warn(
            { event: "outbound.refused", host, address, reason: message },
            "An outbound connection was refused.",
          );
        }
        running -= 1;
        if (running === 0) whenIdle?.();
        resolve(result);
      });
      running += 1;
      const { method, body = null, proxy = null } = request;
      const headers = sentHeaders(request.headers);
      const { origin, path } = target;
      const client = proxy === null ? direct : proxied.of(proxy);
      client.send({ origin, host, path, method, headers, body }, exchange);
    });
  }

  return {
    request,
    rejectReason: (text) => readTarget(text, allow).refused,
    dial: createDial(connector, log),
    /** Lets running requests finish (each has its own timeout), refuses new ones, and closes all connections. */
    async close() {
      closing = true;
      if (running > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
      direct.close();
      proxied.close();
      connector.abandon();
    },
  };
}

/** A caller's headers that belong to the connection are dropped. */
function sentHeaders(headers: Record<string, string> | undefined): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name in headers) {
    const lower = name.toLowerCase();
    if (lower !== "host" && !connectionHeaders.has(lower)) sent[name] = headers[name]!;
  }
  return sent;
}
