// A stream on its way to the caller: the member's chunks as they came, but for the model's name and, in the last
// one, who served it. The chunks that finish are held back until it is known whether they are the last.

import { membersOf, withMembers } from "#contract/json-text.ts";
import type { ApiError, Chunk, Usage } from "#providers/provider.ts";

/** Who served a request, as `service_pool` tells it. */
export interface ServicePool {
  provider: string;
  model: string;
  latency_ms: number;
  attempts: number;
}

export interface SseWriterOptions {
  /** What `model` says in answers. */
  model: string;
  /** Whether the caller asked for the extra chunk that tells the usage. */
  includeUsage: boolean;
  /** Epoch seconds, for providers that do not date their answers. */
  created: number;
  served: ServicePool;
}

/** An answer, or a chunk, under the pool's name; `served` where it tells who served it. */
export function rewrite(
  text: string,
  rules: Omit<SseWriterOptions, "includeUsage" | "served">,
  served?: ServicePool,
): string {
  const changes: Record<string, string | undefined> = { model: JSON.stringify(rules.model) };
  if (served) changes.service_pool = JSON.stringify(served);
  if (undated(text)) changes.created = String(rules.created);
  return withMembers(text, changes);
}

const zeroDate = /"created"\s*:\s*0\s*[,}]/;

/** Providers of another format have no date, and say 0. It may also stand deeper inside, where it is none. */
function undated(text: string): boolean {
  if (!zeroDate.test(text)) return false;
  return membersOf(text).some(
    ({ key, valueStart, end }) => key === "created" && text.slice(valueStart, end) === "0",
  );
}

export class SseWriter {
  readonly #rules: SseWriterOptions;
  /** How the last chunk began, up to behind its model, and what was sent instead: most begin alike. */
  #from = "";
  #to = "";
  #held: Chunk | null = null;
  #usage: Usage | null = null;

  constructor(rules: SseWriterOptions) {
    this.#rules = rules;
  }

  /** What the stream told about its usage so far. */
  get usage(): Usage | null {
    return this.#usage;
  }

  /** The text to send for a chunk; empty while it is held back. */
  chunk(chunk: Chunk): string {
    if (chunk.usage) this.#usage = chunk.usage;
    if (chunk.usageOnly && !this.#rules.includeUsage) return "";
    const before = this.#flush();
    if (chunk.finish || chunk.usageOnly) {
      this.#held = chunk;
      return before;
    }
    return before + frame(this.#renamed(chunk.text));
  }

  #renamed(text: string): string {
    if (this.#from !== "" && text.startsWith(this.#from)) {
      const rest = text.slice(this.#from.length);
      if (!mayName(rest)) return this.#to + rest;
    }
    const model = membersOf(text).filter(({ key }) => key === "model");
    const end = model.length === 1 ? model[0]!.end : 0;
    // Of a string only: a longer number begins like a shorter one.
    this.#from = text[end - 1] === '"' ? text.slice(0, end) : "";
    this.#to = this.#from === "" ? "" : rewrite(`${this.#from}}`, this.#rules).slice(0, -1);
    return rewrite(text, this.#rules);
  }

  /** The end of a whole answer. */
  done(): string {
    const last = this.#held;
    this.#held = null;
    const text = last === null ? "" : frame(rewrite(last.text, this.#rules, this.#rules.served));
    return `${text}data: [DONE]\n\n`;
  }

  /** The end of one that broke off: it never looks complete. */
  failed(error: ApiError): string {
    return this.#flush() + errorFrame(error, this.#rules.served);
  }

  #flush(): string {
    const held = this.#held;
    this.#held = null;
    return held === null ? "" : frame(this.#renamed(held.text));
  }
}

/** Whether a member that is changed may stand here, in whatever spelling. */
const mayName = (text: string) =>
  text.includes('"model"') || text.includes('"created"') || text.includes("\\u");

const frame = (json: string) => `data: ${json}\n\n`;

/** An error inside a stream whose headers are out. */
export function errorFrame(error: ApiError, served: ServicePool | null): string {
  return frame(JSON.stringify(served === null ? { error } : { error, service_pool: served }));
}
