// What a trial asks, and the public call that asks the same of the pool.

import type { TryPoolMessage } from "#ui/api/schema.ts";
import type { Completion } from "#ui/pools/playground/ai-snippets.ts";

/** What a trial asks besides the conversation. Null, or none: the model's own. */
export interface Asked {
  /** Null: the pool chooses. */
  model: string | null;
  messages: readonly TryPoolMessage[];
  temperature: number | null;
  max_tokens: number | null;
  stop: readonly string[];
}

/** `pool`: its name, which stands for whichever model it chooses. */
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
