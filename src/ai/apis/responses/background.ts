// A response that runs in the background, as OpenAI's clients look it up: the answer if it exists, otherwise its state.

import type { OpenAiError } from "#contract/ai/openai-error.ts";
import type { Fields } from "#contract/normalise.ts";
import { envelope } from "./answer.ts";

/** What is known about a response without an answer. */
interface BackgroundState {
  stem: string;
  status: string;
  /** Epoch ms. */
  createdAt: number;
  /** The request; null if the response has ended and the request was deleted. */
  body: Fields | null;
  /** Used if no request names a model. */
  model: string;
  error: OpenAiError | null;
}

/** A response that has no answer, or none yet. */
export function unansweredResponse({ stem, status, createdAt, body, model, error }: BackgroundState): Fields {
  const named = body !== null && typeof body.model === "string" && body.model !== "" ? body.model : model;
  const created = Math.floor(createdAt / 1_000);
  const rules = { stem, created, model: named, body: body ?? {}, background: true };
  const shown = error && { code: error.code ?? "server_error", message: error.message };
  return envelope(rules, status, [], { error: shown });
}
