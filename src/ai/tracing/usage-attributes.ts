// The tokens of a call as attributes of its spans.

import type { Usage } from "#providers/provider.ts";
import type { Attributes } from "#runtime/tracing/tracing.ts";

/** The conventions count cached tokens among the input tokens, as `Usage` does. */
export function usageAttributes({
  promptTokens,
  completionTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
}: Usage): Attributes {
  return {
    "gen_ai.usage.input_tokens": promptTokens,
    "gen_ai.usage.output_tokens": completionTokens,
    ...(cachedTokens > 0 ? { "gen_ai.usage.cache_read.input_tokens": cachedTokens } : {}),
    ...(cacheWriteTokens > 0 ? { "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens } : {}),
  };
}
