// Access tokens of members that have a grant instead of a key. A token is kept until five minutes before it expires and renewed while it is
// still valid, so that no call waits for a renewal. For each grant, only one token request is in progress at a time.

import { createHash } from "node:crypto";
import { collect, textOf } from "#ai/stream/collect.ts";
import { tokenFailure, tokenIn } from "#providers/access-token.ts";
import type { Failure } from "#providers/provider.ts";
import { type TokenGrant, tokenRequest } from "#providers/token-grant.ts";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { StreamingClient, UpstreamResult } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";

interface SendDeps {
  clock: Clock;
  upstreams: StreamingClient;
}

type Unsent = Extract<UpstreamResult, { kind: "failed" }>;

/** `denied`: the token endpoint answered without a token. `failed`: it did not answer. */
type TokenResult = { kind: "token"; token: string } | { kind: "denied"; failure: Failure } | Unsent;

/** Timeout of a token endpoint. */
const connectMs = 5_000;
const limitMs = 10_000;
const maxAnswerBytes = 64 * 1024;
/** How long before its expiry a token is renewed; a short-lived one is renewed after half of its lifetime. */
const renewalMs = 300_000;
/** A token closer to its expiry is no longer sent: the request must arrive while it is valid. */
const marginMs = 30_000;
/** How long a failed renewal is not retried while the token is valid, and how long a new token is assumed to be good. */
const restMs = 60_000;
/** Maximum number of grants whose tokens are kept. */
const maxGrants = 4_096;

/** Times are monotonic. */
interface Token {
  text: string;
  gotAt: number;
  renewAt: number;
  usableUntil: number;
}

interface Entry {
  token: Token | null;
  underWay: Promise<TokenResult> | null;
  /** When the last request for a token began. */
  askedAt: number;
}

export class AccessTokens {
  readonly #deps: SendDeps;
  readonly #entries = new LruCache<string, Entry>(maxGrants);

  constructor(deps: SendDeps) {
    this.#deps = deps;
  }

  /** A token, for which the caller waits at most `waitMs`. The token request continues without the caller. */
  get(grant: TokenGrant, waitMs: number, signal: LightAbortSignal): Promise<TokenResult> {
    const entry = this.#entryOf(grant);
    const now = this.#deps.clock.monotonic();
    const { token } = entry;
    if (token === null || now >= token.usableUntil)
      return this.#awaited(this.#asked(grant, entry), waitMs, signal);
    if (now >= token.renewAt && now >= entry.askedAt + restMs) this.#asked(grant, entry).catch(() => {});
    return Promise.resolve({ kind: "token", token: token.text });
  }

  /**
   * The API refused the token. True if a new one is worth a try; this one is then not used again. A token that was issued less than a
   * minute ago is not the reason: it stays.
   */
  refused(grant: TokenGrant, text: string): boolean {
    const entry = this.#entryOf(grant);
    if (entry.token?.text !== text) return true;
    if (this.#deps.clock.monotonic() < entry.token.gotAt + restMs) return false;
    entry.token = null;
    return true;
  }

  #entryOf(grant: TokenGrant): Entry {
    const key = createHash("sha256").update(JSON.stringify(grant)).digest("base64");
    return this.#entries.getOrCreate(key, () => ({
      token: null,
      underWay: null,
      askedAt: Number.NEGATIVE_INFINITY,
    }));
  }

  /** The token request in progress, or a new one. */
  #asked(grant: TokenGrant, entry: Entry): Promise<TokenResult> {
    entry.underWay ??= this.#ask(grant, entry).finally(() => {
      entry.underWay = null;
    });
    return entry.underWay;
  }

  async #ask(grant: TokenGrant, entry: Entry): Promise<TokenResult> {
    const { clock, upstreams } = this.#deps;
    entry.askedAt = clock.monotonic();
    const limitAt = entry.askedAt + limitMs;
    const result = await upstreams.open({
      ...tokenRequest(grant, clock.now()),
      connectMs,
      headersMs: limitMs,
      signal: new LightAbortController(),
      // Connections to it are idle for an hour at a time.
      fresh: true,
    });
    if (result.kind === "failed") return { ...result, reused: false };
    const { status, headers, body } = result;
    const read = await collect(clock, body, maxAnswerBytes, limitMs, limitAt);
    if (read.kind === "cut" || read.kind === "timeout") {
      const why = read.kind === "cut" ? "cut" : "headers_timeout";
      return { kind: "failed", why, reason: `The access token did not come: ${read.reason}.`, reused: false };
    }
    const text = read.kind === "bytes" ? textOf(read.bytes) : "";
    const got = status >= 200 && status < 300 ? tokenIn(text) : null;
    if (got === null)
      return { kind: "denied", failure: tokenFailure(grant, { status, headers, text }, clock.now()) };
    const gotAt = clock.monotonic();
    const { token, lifetimeMs } = got;
    entry.token = {
      text: token,
      gotAt,
      renewAt: gotAt + lifetimeMs - Math.min(renewalMs, lifetimeMs / 2),
      usableUntil: gotAt + lifetimeMs - Math.min(marginMs, lifetimeMs / 2),
    };
    return { kind: "token", token };
  }

  async #awaited(work: Promise<TokenResult>, waitMs: number, signal: LightAbortSignal): Promise<TokenResult> {
    const stopped: Unsent = { kind: "failed", why: "aborted", reason: "Stopped.", reused: false };
    if (signal.aborted) return stopped;
    const timer = new LightAbortController();
    const leave = () => timer.abort();
    signal.addEventListener("abort", leave, { once: true });
    const over = this.#deps.clock.sleep(waitMs, timer).then((): Unsent => {
      const reason = `No access token came within ${Math.ceil(waitMs)} ms.`;
      return signal.aborted ? stopped : { kind: "failed", why: "headers_timeout", reason, reused: false };
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      signal.removeEventListener("abort", leave);
      timer.abort();
    }
  }
}
