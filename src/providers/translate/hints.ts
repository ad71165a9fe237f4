// Parameters that never exclude a member: hints, which change price, speed or style but not what is requested, and parameters with two
// names. A member that refuses one is called without it, or with its other name.

/**
 * Bookkeeping (`store`, `metadata`, `user`, `safety_identifier`), price and speed (`service_tier`, `prediction`, `prompt_cache_*`,
 * `cache_control`), style (`verbosity`, penalties), best effort at every vendor (`seed`), what the gateway itself reads (`stream_options`),
 * and message forms that have an alternative (the role `developer`, ids of calls).
 */
const hints: ReadonlySet<string> = new Set([
  "stream_options",
  "store",
  "metadata",
  "user",
  "safety_identifier",
  "service_tier",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "cache_control",
  "verbosity",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "developer",
  "tool_call_ids",
]);

/** What a request may contain without a parameter of the name: additions by the gateway, and forms of its messages. */
const implied: readonly string[] = ["stream_options", "developer", "tool_call_ids"];

export const isImplied = (name: string): boolean => implied.includes(name);

/** OpenAI renamed it; its newer models refuse the older name, and most other vendors know only the older one. */
const otherNames: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
};

/**
 * Sampling and effort: a model that does not accept one still does what is requested. Parameters that request something different, such as
 * tools, a format, several choices, stop sequences or log probabilities, are not adaptable.
 */
const adaptable: ReadonlySet<string> = new Set([
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "top_a",
  "repetition_penalty",
  "logit_bias",
  "reasoning_effort",
  "reasoning",
  "thinking",
  "parallel_tool_calls",
]);

/** Whether a pool that adapts requests leaves the parameter out for a model that does not accept it. */
export const isAdaptable = (name: string): boolean => adaptable.has(name);

/** Of the parameters that a model refused, those that it cannot be called without. */
export const undroppable = (refused: readonly string[], params: "adapt" | "strict"): readonly string[] =>
  adapt(refused).undroppable.filter((name) => params === "strict" || !isAdaptable(name));

export const isHint = (name: string): boolean => hints.has(name);

/** How to call a model that refused some parameters. */
interface Adaptation {
  /** The replacement name of a parameter; undefined if it is left out. */
  changes: ReadonlyMap<string, string | undefined>;
  /** Neither hints nor known under another name: the model cannot serve a request with these. */
  undroppable: readonly string[];
}

export function adapt(refused: readonly string[]): Adaptation {
  const changes = new Map<string, string | undefined>();
  const undroppable: string[] = [];
  for (const name of refused) {
    const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
    if (other !== undefined && !refused.includes(other)) changes.set(name, other);
    else if (hints.has(name)) changes.set(name, undefined);
    else undroppable.push(name);
  }
  return { changes, undroppable };
}
