// OpenAI's error object as every adapter makes it. The message is scrubbed here, so that none can forget to.

import type { ApiError } from "#providers/provider.ts";
import { scrub } from "./scrub.ts";

/** The whole object, fit for a caller. `type`: OpenAI's (`invalid_request_error`, `server_error`, …). */
export function apiError(
  message: string,
  type: string,
  code: string | null = null,
  param: string | null = null,
): ApiError {
  return { message: scrub(message), type, param, code };
}
