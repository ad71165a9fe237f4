// The only door to the outside world: time, randomness, outbound HTTP and the log.
// Everything else receives the part that it needs as a value, so that a test can hand in a clock it
// moves by hand, seeded randomness, scripted HTTP and a log it can read.

import type { Socket } from "node:net";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { LightAbortSignal } from "./light-abort-controller.ts";

/** Wall time in epoch milliseconds, and a monotonic count for measuring how long something took. */
export interface Clock {
  /** Epoch milliseconds. May jump when the operating system's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal aborts (never rejects). */
  sleep(ms: number, signal?: LightAbortSignal): Promise<void>;
}

export interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** A number in [0, 1), for jitter. */
  fraction(): number;
}

export interface OutboundRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** From the start of the connection to the last byte of the answer. */
  timeoutMs: number;
  /** The longest answer that is read; a longer one counts as no answer. Default 1 MiB. */
  maxBytes?: number;
  /** A longer answer counts: what is over `maxBytes` is not read, and the connection is given up. */
  truncate?: boolean;
  signal?: AbortSignal;
}

/**
 * What became of a request. Error codes do not tell whether a request left this machine, so the door
 * itself decides: `not_sent` is a promise that no byte of it left; `no_answer` means that some may have.
 */
export type OutboundResult =
  | { kind: "answer"; status: number; headers: Record<string, string>; body: Buffer }
  | { kind: "not_sent"; code: NotSentCode; reason: string }
  | { kind: "no_answer"; reason: string };

/** `url_not_allowed`: the outbound guard refused the address. `unreachable`: DNS, connect or TLS failed. */
export type NotSentCode = "url_not_allowed" | "unreachable" | "aborted";

/** A TCP connection to a server that speaks another protocol than HTTP. `not_sent`: no byte of anything left. */
export type DialResult =
  | { kind: "connected"; socket: Socket }
  | { kind: "not_sent"; code: NotSentCode; reason: string };

/** Outbound HTTP. Redirects are never followed; private addresses are refused unless allowed. */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResult>;
  /**
   * Checks a URL that somebody wants to save (a gateway's, a webhook's), without asking DNS.
   * Returns a plain-words reason, or null when it may be used.
   */
  rejectReason(url: string): string | null;
  /** Opens a TCP connection, guarded as requests are. `timeoutMs`: for name and connection together. */
  dial(target: { host: string; port: number; timeoutMs: number; signal?: AbortSignal }): Promise<DialResult>;
  close(): Promise<void>;
}

/** `none`: there is no such record. `failed`: nobody could tell; `reason` in plain words. */
export type DnsAnswer =
  | { kind: "found"; values: string[] }
  | { kind: "none" }
  | { kind: "failed"; reason: string };

/** DNS records that are looked at, not connected to. Never rejects; each answer comes within about 10 s. */
export interface Dns {
  /** TXT records, each with its strings joined. */
  txt(name: string): Promise<DnsAnswer>;
  /** Addresses of both versions of IP. */
  addresses(name: string): Promise<DnsAnswer>;
  /** Names of mail servers, the preferred first. */
  mx(name: string): Promise<DnsAnswer>;
}

/** Structured log lines. Secrets never go in; see `log.ts` for what is redacted as a second net. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

export interface Runtime {
  clock: Clock;
  random: Random;
  outbound: Outbound;
  /** The way out for answers that are read as they come. */
  upstreams: StreamingClient;
  dns: Dns;
  log: Log;
  /**
   * Fault tests kill the process at a named point with this; elsewhere it does nothing.
   * Names: `accept`, `stamp`, `send`, `settle`, `receipt`, `fan_out`, `post`, each with `.before` or `.after`.
   */
  crashPoint(name: string): void;
}
