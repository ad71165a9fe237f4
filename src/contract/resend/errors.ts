// The errors of Resend's API that are answered here: https://resend.com/docs/api-reference/errors. Their clients read the name and the
// message.

/** Each name, with the status that goes with it. */
export const resendErrors = {
  invalid_idempotency_key: 400,
  missing_api_key: 401,
  restricted_api_key: 401,
  invalid_api_key: 403,
  not_found: 404,
  method_not_allowed: 405,
  concurrent_idempotent_requests: 409,
  invalid_idempotent_request: 409,
  invalid_attachment: 422,
  invalid_from_address: 422,
  missing_required_field: 422,
  validation_error: 422,
  monthly_quota_exceeded: 429,
  rate_limit_exceeded: 429,
  internal_server_error: 500,
} as const satisfies Record<string, number>;

export type ResendErrorName = keyof typeof resendErrors;

/** The body of an error, as Resend writes it. */
export const resendErrorBody = (statusCode: number, name: ResendErrorName, message: string) => ({
  statusCode,
  name,
  message,
});

const names = new Map<number, ResendErrorName>([
  [404, "not_found"],
  [405, "method_not_allowed"],
  [429, "rate_limit_exceeded"],
]);

/** Resend's name for an HTTP status that an error of ours has. */
export const nameOfStatus = (status: number): ResendErrorName =>
  names.get(status) ?? (status >= 500 ? "internal_server_error" : "validation_error");
