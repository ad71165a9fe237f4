// Derives the output tokens from the counts of an answer.

/**
 * The tokens of an answer, reasoning included. OpenAI counts reasoning inside `completion`; xAI and Google's OpenAI-compatible API count it
 * separately, and only `total` shows it. 0 for what was not reported.
 */
export const outputTokens = (prompt: number, completion: number, total: number, reasoning: number): number =>
  completion + Math.max(0, Math.min(reasoning, total - prompt - completion));
