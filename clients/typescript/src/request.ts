// One call of the API: with its key, its attempts, its pauses and its deadline.

import { TrunklineError } from "./error.ts";

export interface ClientOptions {
  /** The URL of Trunkline, such as `https://sms.example.com`. */
  url: string;
  /** An API key of the account. */
  apiKey: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Maximum number of retries of a call; by default 3, so that there are 4 attempts. */
  retries?: number | undefined;
  /**
   * How long a call may take with all its attempts and pauses; by default 60,000 ms. An attempt without an answer ends after half of it.
   */
  timeoutMs?: number | undefined;
  /** Replaces the pause between two attempts, for tests. It rejects when the signal aborts it. */
  wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. What was already accepted stays accepted. */
  signal?: AbortSignal | undefined;
  /** Replaces the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
}

export interface SendOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters that identify this send, such as the id of an order: within 24 hours, the same send with the same
   * key is done once. Without one, each call generates its own, which protects its retries but not a second call; the error of the call
   * contains it as `idempotencyKey`.
   */
  idempotencyKey?: string | undefined;
}

interface Request {
  method: "GET" | "POST";
  /** From `/api/` on. */
  path: string;
  query?: Record<string, string | number | null | undefined>;
  /** A form is sent unchanged, everything else as JSON. */
  body?: object;
  idempotencyKey?: string;
}

type Call = <Reply>(request: Request, options?: CallOptions) => Promise<Reply>;

/** The first pause; it doubles with each retry, up to the last. */
const firstPauseMs = 500;
const maxPauseMs = 8_000;
/** A timer of JavaScript has 31 bits; a longer one would end at once. */
const maxTimeoutMs = 2 ** 31 - 1;
const printable = /^[\x20-\x7e]{1,255}$/;

/** Throws a TypeError for a value that no header can carry. The error does not repeat the value, which may be secret. */
export function checkHeader(name: string, value: string): void {
  if (!printable.test(value))
    throw new TypeError(`${name} is not a text of 1 to 255 printable ASCII characters.`);
}

function checkTimeout(timeoutMs: number): void {
  if (!(timeoutMs >= 0 && timeoutMs <= maxTimeoutMs))
    throw new TypeError(`timeoutMs is not a number of milliseconds from 0 to ${maxTimeoutMs}.`);
}

/** A signal that aborts after that time. `AbortSignal.timeout` itself throws for fractions. */
const endAfter = (ms: number) => AbortSignal.timeout(Math.ceil(ms));

/** The function that makes a client's requests. Throws a TypeError for invalid options. */
export function createCall(options: ClientOptions): Call {
  const { apiKey, retries = 3, timeoutMs: defaultTimeoutMs = 60_000, wait = pause } = options;
  const base = baseOf(options.url);
  checkHeader("apiKey", apiKey);
  checkTimeout(defaultTimeoutMs);
  // Read at each call, so that a later replacement of the global one is used.
  const ask: typeof globalThis.fetch = (...args) => (options.fetch ?? globalThis.fetch)(...args);

  return async <Reply>(request: Request, { signal, timeoutMs = defaultTimeoutMs }: CallOptions = {}) => {
    checkTimeout(timeoutMs);
    const endsAt = performance.now() + timeoutMs;
    const deadline = endAfter(timeoutMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const init: RequestInit = {
      method: request.method,
      headers: headersOf(request, apiKey),
      // A value that cannot be written as JSON is a bug in the program, and thrown from here.
      body: bodyOf(request),
      // A redirect would send the key to another host.
      redirect: "manual",
    };
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const { error, repeatable, retryAfterMs, reply } = await attempt(request, init, ended, timeoutMs / 2);
      if (error === null) return reply as Reply;
      signal?.throwIfAborted();
      const pauseMs = Math.max(retryAfterMs, backoff(tries));
      if (!repeatable || tries > retries || pauseMs >= endsAt - performance.now()) throw error;
      try {
        await wait(pauseMs, ended);
      } catch (cause) {
        signal?.throwIfAborted();
        throw deadline.aborted ? error : cause;
      }
    }
  };

  interface Attempt {
    error: TrunklineError | null;
    repeatable: boolean;
    retryAfterMs: number;
    reply: unknown;
  }

  async function attempt(
    request: Request,
    init: RequestInit,
    ended: AbortSignal,
    tryMs: number,
  ): Promise<Attempt> {
    const failed = (error: TrunklineError, repeatable = true, retryAfterMs = 0): Attempt => ({
      error,
      repeatable,
      retryAfterMs,
      reply: null,
    });
    let response: Response;
    let text: string;
    const { idempotencyKey = null } = request;
    const limit = endAfter(tryMs);
    try {
      response = await ask(urlOf(base, request), { ...init, signal: AbortSignal.any([ended, limit]) });
      text = await response.text();
    } catch (cause) {
      const late = ended.aborted || limit.aborted;
      const message = late ? "Trunkline did not answer in time." : "Trunkline could not be reached.";
      const code = late ? "timeout" : "network";
      return failed(new TrunklineError(message, { status: null, code, idempotencyKey, cause }));
    }
    const reply = parsed(text);
    if (response.ok && reply !== null) return { error: null, repeatable: false, retryAfterMs: 0, reply };
    const error = errorOf(response, reply, idempotencyKey);
    const { status, code } = error;
    // Any 5xx can be repeated: sends carry their key, and everything else can be done twice.
    const repeatable =
      status !== null && (status === 429 || status >= 500 || code === "idempotency_in_progress");
    return failed(error, repeatable, retryAfterMsOf(response));
  }
}

function baseOf(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError("url is not an address such as https://sms.example.com.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new TypeError("url has to be http or https.");
  if (url.username !== "" || url.password !== "")
    throw new TypeError("url may not hold a name or a password.");
  return url.origin + (url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname);
}

function urlOf(base: string, { path, query = {} }: Request): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined) parameters.set(name, String(value));
  return base + path + (parameters.size === 0 ? "" : `?${parameters}`);
}

function headersOf({ body, idempotencyKey }: Request, apiKey: string): Record<string, string> {
  return {
    Accept: "application/json",
    "Api-key": apiKey,
    // For a form, the header names the boundary, which `fetch` chooses.
    ...(body === undefined || body instanceof FormData ? {} : { "Content-Type": "application/json" }),
    ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
  };
}

function bodyOf({ body }: Request): string | FormData | null {
  if (body === undefined) return null;
  return body instanceof FormData ? body : JSON.stringify(body);
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function errorOf(
  response: Response,
  reply: Record<string, unknown> | null,
  idempotencyKey: string | null,
): TrunklineError {
  const { status, headers } = response;
  const requestId = headers.get("x-request-id");
  // Browsers hide the status of a redirect that they do not follow.
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    const message = "The address answers with a redirect, which is not followed. Correct the url.";
    return new TrunklineError(message, {
      status: status === 0 ? null : status,
      code: "unreadable",
      requestId,
      idempotencyKey,
    });
  }
  if (reply === null) {
    const message = `The answer (${status}) is not Trunkline's.`;
    return new TrunklineError(message, { status, code: "unreadable", requestId, idempotencyKey });
  }
  const { message, error, code, errors } = reply;
  const sentence = [message, error].find((each) => typeof each === "string") as string | undefined;
  return new TrunklineError(sentence ?? `Trunkline answered with ${status}.`, {
    status,
    code: typeof code === "string" ? code : null,
    errors: typeof errors === "object" ? (errors as Record<string, string[]> | null) : null,
    requestId,
    idempotencyKey,
  });
}

/** `Retry-After` in milliseconds: seconds or a date. */
function retryAfterMsOf({ headers }: Response): number {
  const value = headers.get("retry-after") ?? "";
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0;
}

/** Half of it is random, so that clients that failed together do not retry together. */
function backoff(tries: number): number {
  const ms = Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1));
  return ms / 2 + (Math.random() * ms) / 2;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
