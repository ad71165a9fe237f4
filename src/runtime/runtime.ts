// The only access to the outside world: time, randomness, outbound HTTP and the log. All other code receives what it needs as a value, so
// that a test can pass a clock that it advances itself, seeded randomness, scripted HTTP and a log that it reads.

import type { Socket } from "node:net";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { LightAbortSignal } from "./light-abort-controller.ts";

/** Wall time in epoch milliseconds, and a monotonic count for measuring how long something took. */
export interface Clock {
  /** Epoch milliseconds. May jump when the operating system's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start; never decreases. */
  monotonic(): number;
  /** Epoch milliseconds at the start of the process plus the time that has passed since: setting the system's clock does not affect it. */
  steady(): number;
  /** Resolves after `ms`, or at once when the signal aborts (never rejects). */
  sleep(ms: number, signal?: LightAbortSignal): Promise<void>;
}

export interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** A number in [0, 1), for jitter. */
  random(): number;
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
  /** A longer answer is valid: the part beyond `maxBytes` is not read, and the connection is closed. */
  truncate?: boolean;
  signal?: AbortSignal;
  /** The URL of a proxy (`http`, `https`, `socks5`), through which the request goes; default: none. */
  proxy?: string | null;
}

/**
 * The result of a request. Error codes do not tell whether a request was sent, so the client decides: `not_sent` is a promise that no byte
 * of it left; `no_answer` means that some bytes may have left.
 */
export type OutboundResult =
  | { kind: "answer"; status: number; headers: Record<string, string>; body: Buffer }
  | { kind: "not_sent"; code: NotSentCode; reason: string }
  | { kind: "no_answer"; reason: string };

/** `url_not_allowed`: the outbound guard refused the address. `unreachable`: DNS, connect or TLS failed. */
type NotSentCode = "url_not_allowed" | "unreachable" | "aborted";

export interface DialTarget {
  host: string;
  port: number;
  /** For name resolution, connection and TLS together. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Encrypted from the start. `ca`: a certificate (PEM) to trust instead of the public authorities. */
  tls?: { ca?: string };
}

/** A TCP connection to a server that speaks a protocol other than HTTP. `not_sent`: no byte was sent. */
export type DialResult =
  | { kind: "connected"; socket: Socket }
  | { kind: "not_sent"; code: NotSentCode; reason: string };

/** Outbound HTTP. Redirects are never followed; private addresses are refused unless allowed. */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResult>;
  /**
   * Checks a URL (of a gateway or a webhook) before it is saved, without a DNS query. Returns why the URL is refused, or null if it may be
   * used.
   */
  rejectReason(url: string): string | null;
  /** Opens a TCP connection, guarded as requests are. */
  dial(target: DialTarget): Promise<DialResult>;
  close(): Promise<void>;
}

/** `none`: the record does not exist. `failed`: the query failed; `reason` describes why. */
export type DnsAnswer =
  | { kind: "found"; values: string[] }
  | { kind: "none" }
  | { kind: "failed"; reason: string };

/** DNS queries for records that are checked, not connected to. Never rejects; each takes about 10 s at most. */
export interface Dns {
  /** TXT records, each with its strings joined. */
  txt(name: string): Promise<DnsAnswer>;
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<DnsAnswer>;
  /** Names of mail servers, in order of preference. */
  mx(name: string): Promise<DnsAnswer>;
}

/** Structured log lines. They never contain secrets; `log.ts` redacts as a second line of defence. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /**
   * A line of which there are thousands a second. Its fields must be the program's own, such as ids and route patterns: they are not
   * searched for secrets. It is written within 100 ms, before every later line.
   */
  record(fields: Readonly<Record<string, string | number | boolean | null>>, message: string): void;
  child(fields: object): Log;
}

export interface Runtime {
  clock: Clock;
  random: Random;
  outbound: Outbound;
  /** HTTP for responses that are read as a stream. */
  upstreams: StreamingClient;
  dns: Dns;
  log: Log;
  /**
   * Fault tests kill the process at a named point with this; otherwise it does nothing. Names: `accept`, `stamp`, `send`, `settle`,
   * `receipt`, `fan_out`, `post`, each with `.before` or `.after`.
   */
  crashPoint(name: string): void;
}
