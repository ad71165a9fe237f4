// Members of a pool whose upstreams follow a script: each request takes the next reply of its member, the last one
// for ever. Nothing here waits for real time; a reply that hangs does so until it is given up.

import type { FailoverDeps } from "#ai/failover/call.ts";
import { SealedOrigins } from "#ai/failover/sealed-origins.ts";
import { MemberHealth } from "#ai/health/health.ts";
import type { Member } from "#ai/pools/member.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { Failure } from "#providers/provider.ts";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import type {
  BodyError,
  BodyReader,
  StreamingClient,
  UpstreamRequest,
  UpstreamResult,
} from "#runtime/net/streaming-client.ts";

/** A piece of a body, or what becomes of it: `hang` lasts until the caller gives up. */
export type Piece = string | "cut" | "silence" | "hang";

export type Reply =
  | { status: number; headers?: Record<string, string>; body: readonly Piece[] }
  | { failed: "unreachable" | "connect_timeout" | "headers_timeout" | "cut"; reused?: boolean }
  | "hang"
  /** No head, until the request's own limit on the clock. */
  | "silent"
  /** Answers after this, on the clock. */
  | { afterMs: number; reply: Reply };

export interface Asked {
  member: string;
  at: number;
  request: UpstreamRequest;
}

export interface Script {
  clock: MovableClock;
  asked: Asked[];
  /** Requests or bodies that were given up by us. */
  aborted: string[];
  deps: FailoverDeps;
  down: { member: string; failure: Failure }[];
  up: string[];
  /** What was reported of failovers and of chains that ended without an answer. */
  logged: string[];
  member(name: string, replies: readonly Reply[], more?: Partial<Member>): Member;
  /** Names of the members that were asked, in order. */
  names(): string[];
}

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: [JSON.stringify(value)],
});

export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  json({ error: { message: `no: ${code}`, type: "arranged", param: null, code } }, status, headers);

const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };

export const answered = (text = "hello"): Reply =>
  json({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "theirs",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage,
  });

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null) =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "theirs",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

/** Pieces of a stream. */
export const pieces = {
  role: chunk({ role: "assistant", content: "" }),
  word: (text: string) => chunk({ content: text }),
  finish: chunk({}, "stop"),
  usage: event({ id: "c", object: "chat.completion.chunk", created: 1, model: "theirs", choices: [], usage }),
  done: "data: [DONE]\n\n",
};

export const streamed = (...body: readonly Piece[]): Reply => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body,
});

export const wholeStream = streamed(
  pieces.role,
  pieces.word("hello"),
  pieces.word(" there"),
  pieces.finish,
  pieces.usage,
  pieces.done,
);

class Body implements BodyReader {
  readonly #pieces: Piece[];
  readonly #over: () => void;
  #cancelled = false;
  #waiting: ((broken: BodyError) => void) | null = null;

  constructor(pieces: readonly Piece[], signal: LightAbortSignal, over: () => void) {
    this.#pieces = [...pieces];
    this.#over = over;
    signal.addEventListener("abort", () => this.cancel(), { once: true });
  }

  async read(): Promise<Buffer | null | BodyError> {
    const stopped: BodyError = { why: "cancelled", reason: "given up" };
    if (this.#cancelled) return stopped;
    const piece = this.#pieces.shift();
    if (piece === "cut") return { why: "cut", reason: "the answer was cut off" };
    if (piece === "silence") return { why: "timeout", reason: "nothing came" };
    if (piece === "hang")
      return new Promise((resolve) => {
        this.#waiting = resolve;
      });
    return piece === undefined ? null : Buffer.from(piece);
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    if (this.#pieces.length > 0 || this.#waiting) this.#over();
    this.#waiting?.({ why: "cancelled", reason: "given up" });
  }
}

export function script(): Script {
  const clock = movableClock();
  const asked: Asked[] = [];
  const aborted: string[] = [];
  const replies = new Map<string, Reply[]>();
  const down: Script["down"] = [];
  const up: string[] = [];
  const logged: string[] = [];
  const upstreams: StreamingClient = {
    open: (request) => {
      const name = new URL(request.url).hostname.split(".")[0] ?? "";
      asked.push({ member: name, at: clock.monotonic(), request });
      const left = replies.get(name) ?? [];
      const reply = left.length > 1 ? left.shift() : left[0];
      if (reply === undefined) throw new Error(`${name} has no reply left`);
      return Promise.resolve(result(name, reply, request));
    },
    close: async () => {},
  };
  async function later(
    name: string,
    reply: "silent" | { afterMs: number; reply: Reply },
    upstreamRequest: UpstreamRequest,
  ): Promise<UpstreamResult> {
    const { headersMs, signal } = upstreamRequest;
    const afterMs = reply === "silent" ? Number.POSITIVE_INFINITY : reply.afterMs;
    const sleeping = new LightAbortController();
    const wake = () => sleeping.abort();
    signal.addEventListener("abort", wake, { once: true });
    await clock.sleep(Math.min(afterMs, headersMs), sleeping);
    signal.removeEventListener("abort", wake);
    if (!signal.aborted && reply !== "silent" && afterMs <= headersMs)
      return await result(name, reply.reply, upstreamRequest);
    if (signal.aborted) aborted.push(name);
    const why = signal.aborted ? ("aborted" as const) : ("headers_timeout" as const);
    return { kind: "failed", why, reason: `No answer from ${name}.`, reused: false };
  }
  function result(
    name: string,
    reply: Reply,
    upstreamRequest: UpstreamRequest,
  ): UpstreamResult | Promise<UpstreamResult> {
    const { signal } = upstreamRequest;
    if (reply === "hang")
      return new Promise<UpstreamResult>((resolve) => {
        const stop = () => {
          aborted.push(name);
          resolve({ kind: "failed", why: "aborted", reason: "Stopped.", reused: false });
        };
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
      });
    if (reply === "silent" || "afterMs" in reply) return later(name, reply, upstreamRequest);
    if ("failed" in reply) {
      const reason = `No answer from ${name}.`;
      return { kind: "failed", why: reply.failed, reason, reused: reply.reused ?? false };
    }
    const body = new Body(reply.body, signal, () => aborted.push(name));
    return { kind: "answer", status: reply.status, headers: reply.headers ?? {}, body };
  }
  return {
    clock,
    asked,
    aborted,
    down,
    up,
    logged,
    deps: {
      clock,
      upstreams,
      random: () => 0,
      origins: new SealedOrigins(),
      memberDown: (member, failure) => down.push({ member: member.name, failure }),
      memberUp: (member) => up.push(member.name),
      keyRefused: (member, position, failure) =>
        logged.push(`${member.name} key ${position}: ${failure.kind}`),
      failedOver: (from, to, failure, memberCount) =>
        logged.push(`${from.member.name} → ${to.member.name}: ${failure.kind} ${memberCount}`),
      exhausted: (last, failure, memberCount) =>
        logged.push(`${last?.member.name ?? "none"}: ${failure.kind} ${memberCount}`),
    },
    member: (name, itsReplies, more = {}) => {
      replies.set(name, [...itsReplies]);
      return {
        id: name,
        name,
        priority: replies.size,
        weight: 1,
        active: true,
        models: [`model-${name}`],
        aliases: {},
        embedding_models: [],
        image_models: [],
        speech_models: [],
        transcription_models: [],
        moderation_models: [],
        rerank_models: [],
        price: null,
        prices: {},
        provider: openaiCompatible,
        settings: openaiCompatible.settings.parse({ base_url: `http://${name}.test/v1` }),
        timeouts: {
          connect_ms: 5_000,
          headers_ms: 60_000,
          first_token_ms: 120_000,
          idle_ms: 30_000,
          thinking_ms: 600_000,
          total_ms: null,
        },
        context_tokens: null,
        keys: null,
        health: new MemberHealth(),
        ...more,
      };
    },
    names: () => asked.map(({ member }) => member),
  };
}
