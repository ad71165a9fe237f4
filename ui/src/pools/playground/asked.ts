// The request of a trial, and the public call that sends the same to the pool.

import type { TryPoolMessage } from "#ui/api/schema.ts";
import type { Completion } from "#ui/pools/playground/ai-snippets.ts";

/** The parameters of a trial besides the conversation. Null or absent for the model's own. */
export interface Asked {
  /** Null if the pool chooses. */
  model: string | null;
  messages: readonly TryPoolMessage[];
  temperature: number | null;
  max_tokens: number | null;
  stop: readonly string[];
}

/** `pool`: its name, which means any model that it chooses. */
export const completionOf = (
  pool: string,
  { model, messages, temperature, max_tokens, stop }: Asked,
): Completion => ({
  model: model ?? pool,
  messages,
  ...(temperature === null ? {} : { temperature }),
  ...(max_tokens === null ? {} : { max_tokens }),
  ...(stop.length === 0 ? {} : { stop }),
  stream: true,
});
