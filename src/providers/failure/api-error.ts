// Creates OpenAI's error object for all adapters. It scrubs the message, so that no adapter can forget to.

import type { ApiError } from "#providers/provider.ts";
import { scrub } from "./scrub.ts";

/** An error object that is safe for clients. `type`: OpenAI's (`invalid_request_error`, `server_error`, …). */
export function apiError(
  message: string,
  type: string,
  code: string | null = null,
  param: string | null = null,
): ApiError {
  return { message: scrub(message), type, param, code };
}
