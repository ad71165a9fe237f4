// What is kept of a system's life for the search at its end: all that it was given, and all that it said.

import assert from "node:assert/strict";
import type { Harness } from "../../harness.ts";
import { type Injected, type InjectOptions, inject } from "../../inject.ts";
import { planted } from "./planted.ts";
import { createSearch } from "./search.ts";

const idPattern = /[a-z]+_[0-9a-z]{20,}(_\d+)?/g;

/** What is searched at the end, and what the secrets came in by. */
export class Evidence {
  /** Secrets by name: those that are planted, and those that the system makes and tells once. */
  readonly secrets = new Map<string, string>(Object.entries(planted));
  readonly inputs: string[] = [];
  readonly found: { place: string; text: string; shows: readonly string[] }[] = [];

  add(place: string, text: string, shows: readonly string[] = []): void {
    this.found.push({ place, text, shows });
  }

  /** What is nowhere but in one answer that is meant to show it. */
  learn(name: string, text: string): string {
    assert.ok(text.length >= 32, `${name}: ${text}`);
    this.secrets.set(name, text);
    return text;
  }

  /** Names of secrets that were never given to the system. */
  unplanted(): string[] {
    const search = createSearch(new Map(Object.entries(planted)));
    const seen = new Set(this.inputs.flatMap((text) => search(text)).map(({ name }) => name));
    return Object.keys(planted).filter((name) => !seen.has(name));
  }

  leaks(): string[] {
    const search = createSearch(this.secrets);
    const leaks = this.found.flatMap(({ place, text, shows }) =>
      search(text)
        .filter(({ name }) => !shows.includes(name))
        .map(({ name, around }) => `${name} in ${place}: ${around}`),
    );
    // Of the same kind of place one is enough to see.
    return [
      ...new Map(leaks.map((leak) => [leak.split(": ", 1)[0]!.replaceAll(idPattern, "…"), leak])).values(),
    ];
  }
}

export interface Story {
  it: Harness;
  evidence: Evidence;
  /** Asks over HTTP, from an address of its own each time, and keeps what was answered. */
  ask(options: InjectOptions, shows?: readonly string[]): Promise<Injected>;
  /** The same below `/api/manage/v1`, with the provisioned token unless headers are given. */
  manage(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    shows?: readonly string[],
  ): Promise<Injected>;
  /** Ids by the names of path parameters. */
  known: Map<string, string>;
}

export function storyOf(it: Harness, evidence: Evidence): Story {
  let asked = 0;
  const ask: Story["ask"] = async (options, shows = []) => {
    asked += 1;
    const remoteAddress = `198.18.${asked >> 8}.${asked & 255}`;
    evidence.inputs.push(JSON.stringify(options));
    const reply = await inject(it.system.app, { remoteAddress, ...options });
    const place = `the answer ${reply.statusCode} to ${options.method} ${String(options.url).split("?")[0]}`;
    evidence.add(place, `${JSON.stringify(reply.headers)}\n${reply.body}`, shows);
    return reply;
  };
  return {
    it,
    evidence,
    ask,
    known: new Map(),
    manage: (method, path, body, headers, shows = []) =>
      ask(
        {
          method,
          url: `/api/manage/v1${path}`,
          headers: {
            ...(headers ?? { authorization: `Bearer ${planted.managementToken}` }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
        },
        shows,
      ),
  };
}
