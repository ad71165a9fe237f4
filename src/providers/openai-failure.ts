// What OpenAI and its like mean by an error: by its status, its code, and, where vendors have no code, by the
// words that they are known to use. Source: platform.openai.com/docs/guides/error-codes, openrouter.ai/docs
// (errors), docs.anthropic.com is another format.

import { apiError } from "./api-error.ts";
import type { ApiError, Failure } from "./provider.ts";
import { retryAfterMs } from "./retry-after.ts";
import { scrubbed } from "./scrub.ts";

const tooLong =
  /context[_ ]length|maximum context|context window|too many (input )?tokens|prompt is too long|input is too long|exceeds? the (available )?context/i;
const policy = /content[_ ](policy|filter)|moderation|responsible ai|safety system/i;
const quota =
  /insufficient_quota|insufficient (balance|credit|funds)|billing_|billing (hard )?limit|exceeded your current quota|payment required/i;

/** Statuses that another try may change. */
const fleeting: readonly number[] = [408, 409, 425];

/** Reads an error. `status` 200: it stood inside a successful answer or a stream, so its own words decide. */
export function openaiFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): Failure {
  const error = readError(status, text);
  // OpenRouter and others put the status that they met into `code`.
  const within = /^\d{3}$/.test(error.code ?? "") ? Number(error.code) : status;
  return { kind: kindOf(within, error), status, retryAfterMs: retryAfterMs(headers, now), error };
}

function kindOf(status: number, error: ApiError): Failure["kind"] {
  const said = `${error.code ?? ""} ${error.type} ${error.message}`;
  if (quota.test(said) || status === 402 || status === 401) return "denied";
  if (status === 403) return policy.test(said) ? "policy" : "denied";
  if (status === 429 || /rate_limit_exceeded/.test(said)) return "limited";
  if (status === 404 || error.code === "model_not_found") return "no_model";
  if (status >= 500 || fleeting.includes(status)) return "broken";
  if (tooLong.test(said)) return "context";
  if (policy.test(said)) return "policy";
  if (status === 400 || status === 413 || status === 422) return "caller";
  if (status === 200 && error.type === "invalid_request_error") return "caller";
  return "broken";
}

/** The error object of a body, completed to OpenAI's four fields. */
function readError(status: number, text: string): ApiError {
  const usual = status === 200 || status >= 500 ? "server_error" : "invalid_request_error";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return apiError(`The provider answered ${status} without an error that could be read.`, usual);
  }
  const top = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const inner =
    typeof top.error === "object" && top.error !== null ? (top.error as Record<string, unknown>) : top;
  // FastAPI's way (vLLM, Mistral): a list of what is wrong, each with its place.
  const [wrong] = Array.isArray(top.detail) ? (top.detail as ({ msg?: unknown } | null)[]) : [];
  const message = [inner.message, top.error, top.message, top.detail, wrong?.msg].find(
    (one) => typeof one === "string",
  );
  const word = (field: unknown) =>
    typeof field === "string" ? scrubbed(field) : typeof field === "number" ? String(field) : null;
  return apiError(
    typeof message === "string" ? message : `The provider answered ${status}.`,
    word(inner.type) ?? usual,
    word(inner.code),
    word(inner.param),
  );
}
