// The installation's API as the commands use it: that of the running process through its socket in the data folder, where the command line
// is an operator, or that of any address with a key or token.

import type { Config } from "#config.ts";
import { describeError } from "#runtime/describe-error.ts";
import { type ApiTarget, requestApi, textOf } from "#runtime/net/api-request.ts";
import { isListening } from "#runtime/net/socket-file.ts";
import { operatorSocketFile } from "./settings.ts";

/** The installation's own error message. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  /** Such as `not_found`; empty if the answer has none. */
  readonly code: string;
  /** Errors by field. */
  readonly fields: Readonly<Record<string, string[]>>;
  constructor(
    status: number,
    message: string,
    { code = "", fields = {} }: { code?: string; fields?: Readonly<Record<string, string[]>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Longer than any request of these commands takes. */
const silenceMs = 60_000;
/** A command that searches a list reads at most this many pages of 100. */
const maxPages = 100;

interface Page<Row> {
  data: Row[];
  next_cursor: string | null;
}

export class Api {
  readonly #target: ApiTarget;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(target: ApiTarget, headers: Readonly<Record<string, string>> = {}) {
    this.#target = target;
    this.#headers = headers;
  }

  /** Sends a request and returns its stream of server-sent events. Throws as `ask` does. */
  async *events(
    method: "GET" | "POST",
    path: string,
    body?: unknown,
    silenceMs: number | null = null,
  ): AsyncGenerator<{ event: string; data: string }> {
    const answer = await this.#send({ method, path, headers: this.#headers, body, silenceMs });
    if (answer.status >= 300) throw errorOf(answer.status, await textOf(answer.body));
    const { createParser } = await import("eventsource-parser");
    const waiting: { event: string; data: string }[] = [];
    const parser = createParser({
      onEvent: ({ event = "message", data }) => waiting.push({ event, data }),
    });
    for await (const piece of answer.body) {
      parser.feed(piece);
      yield* waiting.splice(0);
    }
  }

  /** Sends a request and returns its answer. Throws an `ApiError` with the installation's message for every status other than 2xx. */
  async ask<T>(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const all = { ...this.#headers, ...headers };
    const answer = await this.#send({ method, path, headers: all, body, silenceMs });
    const text = await textOf(answer.body);
    if (answer.status >= 200 && answer.status < 300) return jsonOf(answer.status, text) as T;
    throw errorOf(answer.status, text);
  }

  async #send(asked: Parameters<typeof requestApi>[1]): ReturnType<typeof requestApi> {
    try {
      return await requestApi(this.#target, asked);
    } catch (error) {
      const name = "url" in this.#target ? `The installation at ${this.#target.url}` : "The service";
      throw new Error(`${name} does not answer: ${describeError(error)}.`, { cause: error });
    }
  }

  /** The rows of a list of the management API, page by page; at most 10,000. */
  async *rows<Row>(path: string, query: Readonly<Record<string, string>> = {}): AsyncGenerator<Row> {
    let cursor: string | null = null;
    for (let pages = 0; pages < maxPages; pages++) {
      const asked = new URLSearchParams({ ...query, limit: "100", ...(cursor === null ? {} : { cursor }) });
      const page: Page<Row> = await this.ask("GET", `${path}?${asked}`);
      yield* page.data;
      cursor = page.next_cursor;
      if (cursor === null) return;
    }
  }
}

function jsonOf(status: number, text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    throw new ApiError(status, `The address answered ${status} with something other than JSON.`);
  }
}

/** The error in an answer, with the fields that it names. */
function errorOf(status: number, text: string): ApiError {
  const { message, code, errors, error } = (jsonOf(status, text) ?? {}) as {
    message?: unknown;
    code?: unknown;
    errors?: Record<string, string | string[]>;
    error?: { message?: unknown };
  };
  const words = message ?? error?.message;
  if (typeof words !== "string") return new ApiError(status, `The answer was ${status}.`);
  const fields = Object.fromEntries(
    Object.entries(errors ?? {}).map(([field, sentences]) => [field, [sentences].flat()]),
  );
  const lines = Object.entries(fields).map(([field, sentences]) => `${field}: ${sentences.join(" ")}`);
  return new ApiError(status, [words, ...lines].join("\n  "), {
    code: typeof code === "string" ? code : "",
    fields,
  });
}

/** The API of the process that runs on these settings and this machine; null if no process runs. */
export async function runningHere(config: Config): Promise<Api | null> {
  const socketPath = operatorSocketFile(config);
  return (await isListening(socketPath)) ? new Api({ socketPath }) : null;
}
