// One request through a client, and all that came of it: with the client of the service, and with undici, to compare them.

import { Agent } from "undici";
import { readAllowList } from "#runtime/net/address.ts";
import { guardedConnector, guardedLookup, systemLookup } from "#runtime/net/connect.ts";
import { HttpClient } from "#runtime/net/http/client.ts";
import type { HttpConnection } from "#runtime/net/http/connection.ts";

export interface Outcome {
  /** 0: no head came. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Why it failed, or null. */
  error: Error | null;
}

export interface Asking {
  ask(origin: string, path: string, more?: Partial<Question>): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Question {
  method: "GET" | "HEAD" | "POST";
  body: string | Uint8Array | null;
  fresh: boolean;
  /** Called when the request is written. */
  onStart(connection: HttpConnection): void;
}

const allow = readAllowList("127.0.0.0/8");

export function ourClient(idleMs = 1000): Asking {
  const connector = guardedConnector(allow, guardedLookup(allow, systemLookup));
  const client = new HttpClient({ connector, connectionsPerOrigin: 64, idleMs, hintMarginMs: 0 });
  return {
    ask(origin, path, { method = "GET", body = null, fresh = false, onStart } = {}) {
      return new Promise((resolve) => {
        const outcome: Outcome = { status: 0, headers: {}, body: "", error: null };
        const request = { origin, host: new URL(origin).host, path, method, headers: {}, body, fresh };
        client.send(request, {
          isOver: false,
          onStart: (connection) => onStart?.(connection),
          onHead: (status, headers) => Object.assign(outcome, { status, headers }),
          onData: (piece) => {
            outcome.body += piece.toString("latin1");
          },
          onEnd: () => resolve(outcome),
          onError: (error) => resolve({ ...outcome, error }),
        });
      });
    },
    async close() {
      client.close();
      connector.abandon();
    },
  };
}

/** A client of the same settings. Repeated headers are joined, and spaces around a value are not part of it. */
export function undiciClient(): Asking {
  const agent = new Agent({
    pipelining: 1,
    connections: 64,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    ask(origin, path, { method = "GET", body = null } = {}) {
      return new Promise((resolve) => {
        const outcome: Outcome = { status: 0, headers: {}, body: "", error: null };
        agent.dispatch(
          { origin, path, method, body, reset: true },
          {
            onRequestStart() {},
            onResponseStart(_controller, status, headers) {
              if (status < 200) return;
              outcome.status = status;
              outcome.headers = {};
              for (const [name, value] of Object.entries(headers)) {
                const values = typeof value === "string" ? [value] : (value ?? []);
                outcome.headers[name] = values.map((one) => one.replace(/^[\t ]+|[\t ]+$/g, "")).join(", ");
              }
            },
            onResponseData: (_controller, piece) => {
              outcome.body += piece.toString("latin1");
            },
            onResponseEnd: () => resolve(outcome),
            onResponseError: (_controller, error) => resolve({ ...outcome, error }),
          },
        );
      });
    },
    close: () => agent.destroy(),
  };
}
