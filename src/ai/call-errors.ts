// The errors of calls that no member served, and the statuses that clients see for members' failures.

import { openAiError } from "#contract/ai/openai-error.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { ApiError, Failure } from "#providers/provider.ts";

/** For streams that are still open when the process stops. */
export const shuttingDownError = apiError(
  "The service is stopping; try again.",
  "server_error",
  "unavailable",
);

export function unknownModel(model: string | null): ApiError {
  return {
    message: `The model \`${model ?? ""}\` does not exist or you do not have access to it.`,
    type: "invalid_request_error",
    param: "model",
    code: "model_not_found",
  };
}

const budgetOf = { key: "this key", pool: "the pool", account: "the account" } as const;

/** A 400, because retrying cannot help, and agents interpret a 403 as a wrong key. `of`: the owner of the budget. */
export const unpricedModel = (of: keyof typeof budgetOf, model: string): ApiError => ({
  ...openAiError("unpriced_model"),
  message: `The budget of ${budgetOf[of]} refuses models without a known price, and \`${model}\` has none. Set its price in \`prices\` of the pool's member, or \`unpriced: allow\` in the budget.`,
  param: "model",
});

/** The status for the client. A member's rejected credentials are not the client's fault. */
export function statusOf({ kind, status }: Failure): number {
  switch (kind) {
    case "invalid_request":
    case "context_length":
    case "content_policy":
      return status >= 400 && status < 500 ? status : 400;
    case "unsupported":
      // This 429 means that the request exceeds the model's limit for a whole minute: a client would retry it forever.
      return status === 429 ? 413 : status >= 400 && status < 500 ? status : 400;
    case "rate_limited":
      return 429;
    case "model_not_found":
      return 404;
    case "unauthorized":
      return 502;
    case "upstream_error":
      return status === 503 || status === 504 ? status : 502;
  }
}
