// Translates Gemini's log probabilities into OpenAI's: the chosen token and its alternatives, position by position.
// Source: ai.google.dev/api/generate-content#LogprobsResult

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, textOf } from "#providers/translate/json.ts";

/** OpenAI's `logprobs`; null if Gemini reports none. */
export function geminiLogprobs(result: unknown): { content: object[] } | null {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return null;
  const top = fieldsIn(result.topCandidates);
  const content = fieldsIn(result.chosenCandidates).map((chosen, at) => ({
    ...tokenOf(chosen),
    top_logprobs: fieldsIn(top[at]?.candidates).map(tokenOf),
  }));
  return { content };
}

function tokenOf({ token, logProbability }: Fields): object {
  const text = textOf(token);
  const logprob = typeof logProbability === "number" ? logProbability : -9999;
  return { token: text, logprob, bytes: [...Buffer.from(text)] };
}
