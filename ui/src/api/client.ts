// The only place that talks to the server: the management API, with the session's cookie and its CSRF token.

import { createListeners } from "./listeners.ts";
import { type Operations, routes } from "./operations.ts";
import type { Session } from "./schema.ts";

export type OperationName = keyof Operations;

type Params<N extends OperationName> =
  Operations[N]["params"] extends Record<string, never>
    ? { params?: never }
    : { params: Operations[N]["params"] };
type Query<N extends OperationName> =
  Operations[N]["query"] extends Record<string, never>
    ? { query?: never }
    : { query?: Operations[N]["query"] };
type Body<N extends OperationName> = Operations[N]["body"] extends undefined
  ? { body?: never }
  : { body: Operations[N]["body"] };

/** The input of an operation. */
export type Input<N extends OperationName> = Params<N> &
  Query<N> &
  Body<N> & {
    signal?: AbortSignal;
    /** For a send: repeating the request under the same key returns the first answer and sends nothing. */
    idempotencyKey?: string;
  };
export type Output<N extends OperationName> = Operations[N]["reply"];

/** An unsuccessful answer, with the API's own message, or (status 0) no answer. */
export class ApiError extends Error {
  readonly status: number;
  /** Messages by the path of their field. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    message: string,
    more: { errors?: ApiError["errors"]; requestId?: string | null; retryAfter?: number | null } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors ?? {};
    this.requestId = more.requestId ?? null;
    this.retryAfterSeconds = more.retryAfter ?? null;
  }
}

let known: Pick<Session, "id" | "csrf_token"> | null = null;

const sessions = createListeners<Session>();

/** The signed-in person. The session's CSRF token, which every change sends, is kept only in memory. */
export function setSession(session: Session): void {
  known = session;
  sessions.call(session);
}

/**
 * Waits until the same person has signed in again, or the change is abandoned. If another person signs in, the page is replaced and the
 * wait ends.
 */
const signedInAgain = (before: Pick<Session, "id">, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      stop();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const stop = sessions.listen(({ id }) => {
      if (id === before.id) end();
    });
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });

const otherPeople = createListeners<Session>();

/** Reads the session of another person who has signed in in this browser, after a change was refused because of that. */
export const onOtherPerson = otherPeople.listen;

/**
 * Whether a refused change may be repeated: the same person has signed in again in another tab, so the token was that of an earlier
 * session.
 */
async function hasNewToken(): Promise<boolean> {
  const before = known;
  if (before === null) return false;
  const { data } = await call("getSession", {});
  if (data.id !== before.id) {
    otherPeople.call(data);
    return false;
  }
  setSession(data);
  return data.csrf_token !== before.csrf_token;
}

/** Called with the status of every answer; 0 if there was none. */
export const { listen: onAnswer, call: notifyListeners } = createListeners<number>();

function urlOf(path: string, params: Record<string, string>, query: Record<string, unknown>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** The URL of an operation, for a frame that shows its answer. */
export const addressOf = <N extends OperationName>(name: N, params: Operations[N]["params"]): string =>
  urlOf(routes[name][1], params, {});

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/** Whether the operation begins or ends the session that other operations depend on. */
export const changesSession = (name: OperationName): boolean => name === "signIn" || name === "signOut";

/** Calls an operation of the management API. Throws `ApiError`. */
export async function call<N extends OperationName>(name: N, input: Input<N>): Promise<Output<N>> {
  const response = await request(name, input, "application/json");
  const type = response.headers.get("content-type") ?? "";
  // A proxy's page of HTML is no answer.
  const isText = name === "getMessageHtml" || type.startsWith("text/plain");
  try {
    if (response.status === 204) return undefined as Output<N>;
    return (await (isText ? response.text() : response.json())) as Output<N>;
  } catch (error) {
    // A connection that was cut, or a page of a proxy.
    throw lost(error, input.signal);
  }
}

/** Calls an operation that answers with a stream. Throws `ApiError`, also when the stream breaks off. */
export async function openStream<N extends OperationName>(
  name: N,
  input: Input<N>,
): Promise<{ requestId: string | null; pieces: AsyncIterable<string> }> {
  const response = await request(name, input, "text/event-stream");
  return { requestId: response.headers.get("x-request-id"), pieces: piecesOf(response, input.signal) };
}

async function* piecesOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      yield decoder.decode(piece.value, { stream: true });
  } catch (error) {
    throw lost(error, signal);
  }
}

/** The error for a request without an answer; an abort is passed on unchanged. */
function lost(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error;
  notifyListeners(0);
  return new ApiError(0, "The service did not answer.");
}

async function request<N extends OperationName>(name: N, input: Input<N>, accept: string): Promise<Response> {
  try {
    return await send(name, input, accept);
  } catch (error) {
    const isChange = routes[name][0] !== "GET" && !changesSession(name);
    if (error instanceof ApiError && error.status === 401 && isChange && known !== null) {
      // The sign-in covers the page, which then continues the request.
      await signedInAgain(known, input.signal);
      return await send(name, input, accept);
    }
    const isRefused = error instanceof ApiError && error.status === 403 && isChange;
    if (!isRefused || !(await hasNewToken())) throw error;
    return await send(name, input, accept);
  }
}

async function send<N extends OperationName>(name: N, input: Input<N>, accept: string): Promise<Response> {
  const [method, path] = routes[name];
  const { params = {}, query = {}, body, signal, idempotencyKey } = input as AnyInput;
  const headers: Record<string, string> = { accept };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET" && known?.csrf_token) headers["x-csrf-token"] = known.csrf_token;
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  let response: Response;
  try {
    response = await fetch(urlOf(path, params, query), {
      method,
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    throw lost(error, signal);
  }
  notifyListeners(response.status);
  if (response.ok) return response;
  const { message, errors } = ((await response.json().catch(() => null)) ?? {}) as Partial<ApiError>;
  throw new ApiError(response.status, message ?? `Status ${response.status}, without a reason.`, {
    requestId: response.headers.get("x-request-id"),
    retryAfter: Number(response.headers.get("retry-after")) || null,
    ...(errors === undefined ? {} : { errors }),
  });
}
