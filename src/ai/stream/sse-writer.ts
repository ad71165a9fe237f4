// Writes a stream to the client: the member's chunks unchanged, except for the model's name and, in the last one, `service_pool`. A
// finishing chunk is held back until it is known whether it is the last one.

import type { z } from "zod";
import type { servicePool } from "#contract/ai/chat-shapes.ts";
import { membersOf, withMembers } from "#contract/json-text.ts";
import type { FrameForm, FrameRun } from "#providers/frame-run.ts";
import type { ApiError, Chunk, Usage } from "#providers/provider.ts";

/** The member that served a request, as `service_pool` reports it. */
export type ServicePool = z.output<typeof servicePool>;

export interface SseWriterOptions {
  /** The `model` of the answer. */
  model: string;
  /** The client asked for the usage chunk. */
  includeUsage: boolean;
  /** Epoch seconds, for providers whose answers have no date. */
  created: number;
  served: ServicePool;
}

/** An answer or a chunk under the pool's name; with `served`, also with `service_pool`. */
export function rewrite(
  text: string,
  rules: Omit<SseWriterOptions, "includeUsage" | "served">,
  served?: ServicePool,
): string {
  const changes: Record<string, string | undefined> = { model: JSON.stringify(rules.model) };
  if (served) changes.service_pool = JSON.stringify(served);
  if (isUndated(text)) changes.created = String(rules.created);
  return withMembers(text, changes);
}

/** An answer of a forwarded operation: `service_pool` is added, and its `model`, if any, is replaced. */
export function withServed(text: string, model: string, served: ServicePool): string {
  const named = membersOf(text).some(({ key }) => key === "model");
  return withMembers(text, {
    ...(named ? { model: JSON.stringify(model) } : {}),
    service_pool: JSON.stringify(served),
  });
}

const zeroDate = /"created"\s*:\s*0\s*[,}]/;

/** Translated answers have `created: 0`. Only a top-level one counts. */
function isUndated(text: string): boolean {
  if (!zeroDate.test(text)) return false;
  return membersOf(text).some(
    ({ key, valueStart, end }) => key === "created" && text.slice(valueStart, end) === "0",
  );
}

export class SseWriter {
  readonly #rules: SseWriterOptions;
  /**
   * The start of the last chunk up to the end of its model, and its rewritten form: most chunks start alike.
   */
  #prefix = "";
  #rewrittenPrefix = "";
  /** The form of the last run. */
  #form: FrameForm | null = null;
  /** What precedes and follows the texts of the form, rewritten; null if they stay as they are. */
  #rewrittenForm: { start: string; end: string } | null = null;
  #held: Chunk | null = null;
  #usage: Usage | null = null;

  constructor(rules: SseWriterOptions) {
    this.#rules = rules;
  }

  /** The usage that the stream has reported so far. */
  get usage(): Usage | null {
    return this.#usage;
  }

  /** The text to send for a chunk; empty while the chunk is held back. */
  chunk(chunk: Chunk): string {
    if (chunk.usage) this.#usage = chunk.usage;
    if (chunk.usageOnly && !this.#rules.includeUsage) return "";
    const flushed = this.#flush();
    if (chunk.finish || chunk.usageOnly) {
      this.#held = chunk;
      return flushed;
    }
    return flushed + frame(this.#rewritten(chunk.text));
  }

  /** The text to send for a run. */
  run(run: FrameRun): string {
    const { form, bodies, wire } = run;
    const flushed = this.#flush();
    if (this.#form !== form) {
      const marked = form.prefix + (form.middle === null ? mark : mark + form.middle + mark) + form.suffix;
      const rewritten = rewrite(marked, this.#rules);
      const prefix = rewritten.slice(0, rewritten.indexOf(mark));
      const suffix = rewritten.slice(rewritten.lastIndexOf(mark) + 1);
      this.#form = form;
      this.#rewrittenForm = rewritten === marked ? null : { start: `data: ${prefix}`, end: `${suffix}\n\n` };
    }
    if (this.#rewrittenForm === null) return flushed + wire;
    const { start, end } = this.#rewrittenForm;
    return flushed + start + bodies.join(end + start) + end;
  }

  #rewritten(text: string): string {
    if (this.#prefix !== "" && text.startsWith(this.#prefix)) {
      const rest = text.slice(this.#prefix.length);
      if (!mayNeedRewriting(rest)) return this.#rewrittenPrefix + rest;
    }
    const models = membersOf(text).filter(({ key }) => key === "model");
    const end = models.length === 1 ? models[0]!.end : 0;
    // Only after a string: a number may be the start of a longer one.
    this.#prefix = text[end - 1] === '"' ? text.slice(0, end) : "";
    this.#rewrittenPrefix = this.#prefix === "" ? "" : rewrite(`${this.#prefix}}`, this.#rules).slice(0, -1);
    return rewrite(text, this.#rules);
  }

  /** Ends a complete stream. */
  done(): string {
    const last = this.#held;
    this.#held = null;
    const text = last === null ? "" : frame(rewrite(last.text, this.#rules, this.#rules.served));
    return `${text}data: [DONE]\n\n`;
  }

  /** Ends an interrupted stream: without `[DONE]`, so that it never looks complete. */
  failed(error: ApiError): string {
    return this.#flush() + errorFrame(error, this.#rules.served);
  }

  #flush(): string {
    const held = this.#held;
    this.#held = null;
    return held === null ? "" : frame(this.#rewritten(held.text));
  }
}

/** No JSON contains this character unescaped. */
const mark = "\u0001";

/** Whether the rest may contain a field to rewrite, in any spelling. */
const mayNeedRewriting = (text: string) =>
  text.includes('"model"') || text.includes('"created"') || text.includes("\\u");

const frame = (json: string) => `data: ${json}\n\n`;

/** An error frame in a stream whose headers were sent. */
export function errorFrame(error: ApiError, served: ServicePool | null): string {
  return frame(JSON.stringify(served === null ? { error } : { error, service_pool: served }));
}
