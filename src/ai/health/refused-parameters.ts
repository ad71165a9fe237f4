// What each model of a member has refused as unsupported: the parameters by name, or by name and value. For some hours, requests with them
// are sent to other members first, or to this one without them if they are hints. Pure: the caller passes the time in.

import type { RefusedParameter } from "#providers/provider.ts";
import { isImplied } from "#providers/translate/hints.ts";
import type { ThoughtFiller } from "#providers/translate/thought-forms.ts";

/** How long a refusal is remembered, ms: vendors change what their models accept. */
export const rememberedMs = 6 * 3_600_000;
/** Limit per model. The oldest is dropped first. */
const maxRefusals = 64;
/** Longer values are not remembered: they are the caller's text and rarely recur. */
const maxValueLength = 40;
const maxNameLength = 64;

/** Every request has these, so a refusal of one says nothing about others. */
const essential: ReadonlySet<string> = new Set(["model", "messages", "input", "stream"]);

/** Used as the value of `tools` if a model accepts function tools in another API of its vendor. */
const inChat = JSON.stringify("chat_completions");

/** A parameter that a model refused. `value`: JSON of the only value that it refused; null if it refused every value. */
export interface UnsupportedParameter {
  model: string;
  parameter: string;
  value: string | null;
  /** When it is forgotten, monotonic ms. */
  until: number;
}

type Body = Readonly<Record<string, unknown>>;

export class RefusedParameters {
  /** By model; limited to the models in the member's settings. */
  readonly #byModel = new Map<string, UnsupportedParameter[]>();
  /** Also by model. `until`: monotonic ms. */
  readonly #fillers = new Map<string, { filler: ThoughtFiller; until: number }>();

  /** Records what a vendor refused. False if it names nothing that is in the request. */
  learn(model: string, { name, valueOnly }: RefusedParameter, body: Body, now: number): boolean {
    const present = Object.hasOwn(body, name) || isImplied(name);
    if (!present || essential.has(name) || name.length > maxNameLength) return false;
    const value = valueOnly ? valueText(name, body[name]) : null;
    if (valueOnly && value === null) return false;
    const others = this.#current(model, now).filter(
      (refusal) => refusal.parameter !== name || (value !== null && refusal.value !== value),
    );
    const refusals = [...others, { model, parameter: name, value, until: now + rememberedMs }];
    this.#byModel.set(model, refusals.slice(-maxRefusals));
    return true;
  }

  /** Records that the model accepts function tools only in an API other than chat completions. */
  learnToolsApiRequired(model: string, now: number): void {
    const others = this.#current(model, now).filter(({ value }) => value !== inChat);
    const refusal = { model, parameter: "tools", value: inChat, until: now + rememberedMs };
    this.#byModel.set(model, [...others, refusal].slice(-maxRefusals));
  }

  /** Records that the model refused a conversation without its thoughts, and what it accepts in their place. */
  learnFiller(model: string, filler: ThoughtFiller, now: number): void {
    this.#fillers.set(model, { filler, until: now + rememberedMs });
  }

  /** What the model accepts in place of thoughts that a conversation lacks. Null if it is not known to need any. */
  filler(model: string, now: number): ThoughtFiller | null {
    // Nearly every request returns here.
    if (this.#fillers.size === 0) return null;
    const known = this.#fillers.get(model);
    return known !== undefined && known.until > now ? known.filler : null;
  }

  /** Whether the model is known to accept function tools only in another API. */
  toolsApiRequired(model: string, now: number): boolean {
    if (this.#byModel.size === 0) return false;
    return this.#current(model, now).some(
      ({ parameter, value }) => parameter === "tools" && value === inChat,
    );
  }

  /** Names of the request's parameters that the model refused, including those that a request may imply (`isImplied`). */
  of(model: string, body: Body, now: number): readonly string[] {
    // Nearly every request returns here.
    if (this.#byModel.size === 0) return [];
    return this.#current(model, now)
      .filter(
        ({ parameter, value }) =>
          (value === null && isImplied(parameter)) ||
          (Object.hasOwn(body, parameter) &&
            (value === null || value === valueText(parameter, body[parameter]))),
      )
      .map(({ parameter }) => parameter);
  }

  /** All entries, the oldest first. */
  list(now: number): UnsupportedParameter[] {
    return [...this.#byModel.keys()].flatMap((model) => this.#current(model, now));
  }

  #current(model: string, now: number): readonly UnsupportedParameter[] {
    return this.#byModel.get(model)?.filter(({ until }) => until > now) ?? [];
  }
}

/** The value as JSON if it is short enough to recur; for a `tool_choice` that names a function, its type. */
function valueText(name: string, value: unknown): string | null {
  const type = name === "tool_choice" && typeof value === "object" && value !== null && "type" in value;
  const known = type ? value.type : value;
  if (typeof known !== "string" && typeof known !== "number" && typeof known !== "boolean") return null;
  const text = JSON.stringify(known);
  return text.length > maxValueLength ? null : text;
}
