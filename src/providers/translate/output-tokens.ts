// What the counts of an answer say of its output.

/**
 * The tokens of an answer, reasoning included. OpenAI counts reasoning inside `completion`; xAI, and Google's OpenAI-compatible
 * API, count it beside, and only `total` tells. 0 for what was not reported.
 */
export const outputTokens = (prompt: number, completion: number, total: number, reasoning: number): number =>
  completion + Math.max(0, Math.min(reasoning, total - prompt - completion));
