// The API of an installation, as the commands ask it: that of the running process through its socket in the data folder, where
// the command line is an operator, or that of any address with a key or token.

import type { Config } from "#config.ts";
import { type ApiTarget, requestApi, textOf } from "#runtime/net/api-request.ts";
import { isListening } from "#runtime/net/socket-file.ts";
import { operatorSocketFile } from "./open.ts";

/** The installation's own words for what it did not do. */
class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Longer than any request of these commands works. */
const silenceMs = 60_000;
/** A list has at most so many pages of 100 for a command that looks through it. */
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

  /** Sends a request and returns its answer. Throws an `ApiError` with the installation's words for every other status than 2xx. */
  async ask<T>(method: "GET" | "POST" | "DELETE" | "PATCH", path: string, body?: unknown): Promise<T> {
    const answer = await requestApi(this.#target, { method, path, headers: this.#headers, body, silenceMs });
    const text = await textOf(answer.body);
    let read: unknown;
    try {
      read = text === "" ? null : JSON.parse(text);
    } catch {
      throw new ApiError(
        answer.status,
        `The address answered ${answer.status} with something other than JSON.`,
      );
    }
    if (answer.status >= 200 && answer.status < 300) return read as T;
    throw new ApiError(answer.status, wordsOf(read) ?? `The answer was ${answer.status}.`);
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

/** The message of an error, with the fields that it names. */
function wordsOf(read: unknown): string | null {
  if (typeof read !== "object" || read === null) return null;
  const { message, errors, error } = read as {
    message?: unknown;
    errors?: Record<string, string[]>;
    error?: { message?: unknown };
  };
  const words = message ?? error?.message;
  if (typeof words !== "string") return null;
  const fields = Object.entries(errors ?? {}).map(
    ([field, sentences]) => `${field}: ${[sentences].flat().join(" ")}`,
  );
  return [words, ...fields].join("\n  ");
}

/** The API of the process that runs on these settings and this machine; null: no process runs. */
export async function runningHere(config: Config): Promise<Api | null> {
  const socketPath = operatorSocketFile(config);
  return (await isListening(socketPath)) ? new Api({ socketPath }) : null;
}

interface NamedAccount {
  id: string;
  name: string;
}

/** The account of that name or id. Throws when it does not exist. */
export async function accountCalled(api: Api, name: string): Promise<NamedAccount> {
  const known: string[] = [];
  for await (const account of api.rows<NamedAccount>("/api/manage/v1/accounts")) {
    if (account.name === name || account.id === name) return account;
    known.push(account.name);
  }
  const names =
    known.length === 0 ? "There are no accounts yet." : `There are: ${known.slice(0, 20).join(", ")}.`;
  throw new Error(`There is no account called ${name}. ${names}`);
}
