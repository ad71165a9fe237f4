// The only outbound HTTP client. It guarantees that forbidden addresses are never contacted, and that `not_sent` means that no byte of the
// request left. It never follows redirects or the environment's proxy settings.

import { Agent } from "undici";
import type { Log, Outbound, OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import type { AllowList } from "./address.ts";
import { guardedConnector, guardedLookup, type Lookup, systemLookup } from "./connect.ts";
import { createDial } from "./dial.ts";
import { Exchange } from "./exchange.ts";
import { ProxyAgents } from "./proxy.ts";
import { readTarget, targetReader } from "./url.ts";

/** A connection that was idle for longer is not reused: a peer that closes it meanwhile causes an unknown outcome. */
const idleMs = 1000;
const connectionsPerOrigin = 256;
const defaultMaxBytes = 1024 * 1024;

/** Headers that belong to the connection and are set here; a caller's are dropped. */
const ownHeaders = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

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
  const options = {
    connect: connector.connect,
    connections: connectionsPerOrigin,
    pipelining: 1,
    allowH2: false,
    // The second limits what a server's Keep-Alive header may request; the third is subtracted from that.
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: idleMs,
    // The exchange has one timer for everything.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const agent = new Agent(options);
  const proxied = new ProxyAgents(connector, options);
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
      const dispatcher = proxy === null ? agent : proxied.of(proxy);
      dispatcher.dispatch({ origin: target.origin, path: target.path, method, headers, body }, exchange);
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
      connector.abandon();
      await Promise.all([agent.destroy(), proxied.destroy()]);
    },
  };
}

/** undici's flat list: name, value, name, value. */
function sentHeaders(headers: Record<string, string> | undefined): string[] {
  const list = ["accept-encoding", "identity"];
  for (const name in headers) {
    if (!ownHeaders.has(name.toLowerCase())) list.push(name, headers[name]!);
  }
  return list;
}
