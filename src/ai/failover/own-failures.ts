// Failures of attempts that the gateway itself detects, without a report from the vendor.

import { apiError } from "#providers/failure/api-error.ts";
import type { Failure, PreparedRequest } from "#providers/provider.ts";

/** The reason reported for a member whose streams are cut off. */
export const cutStreams: Failure = {
  kind: "upstream_error",
  status: 502,
  retryAfterMs: null,
  error: apiError("Its answers break off.", "server_error", "upstream_cut"),
};

/** The failure of a member that the call treats as down. */
export const pretendedDown: Failure = {
  kind: "unsupported",
  status: 503,
  retryAfterMs: null,
  error: apiError("The member was taken to be down in this call.", "server_error", "no_member"),
};

/** The vendor lacks a parameter. Another member may have it; if none does, the client gets this error. */
export function unsupportedParameter({
  param,
  message,
}: Extract<PreparedRequest, { kind: "unsupported_parameter" }>): Failure {
  const error = apiError(message, "invalid_request_error", "unsupported_parameter", param);
  return { kind: "invalid_request", status: 400, retryAfterMs: null, error };
}
