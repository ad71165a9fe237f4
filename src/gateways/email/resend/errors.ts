// What Resend's error names mean for a mail (https://resend.com/docs/api-reference/errors). Names repeat under several
// statuses, so both count; what is not here goes by its status.

import { type Json, textAt } from "#gateways/sms/http-api/json-path.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";

const faults = new Map<string, Fault>([
  ["validation_error", "message"], // of 400 and 422; of 403 see below
  ["missing_required_field", "message"],
  ["invalid_attachment", "message"],
  ["invalid_parameter", "message"],
  ["invalid_idempotency_key", "message"],
  ["missing_api_key", "gateway"],
  ["restricted_api_key", "gateway"],
  ["invalid_api_key", "gateway"],
  ["invalid_from_address", "gateway"], // the sender's address is a setting
  ["invalid_access", "gateway"],
  ["invalid_region", "gateway"],
  ["not_found", "gateway"],
  ["method_not_allowed", "gateway"],
  ["security_error", "gateway"],
  ["daily_quota_exceeded", "gateway"], // of a rolling day, so waiting helps
  ["monthly_quota_exceeded", "gateway"],
  ["rate_limit_exceeded", "later"],
  // A request with this key came before: whether its mail was sent, this answer does not say.
  ["concurrent_idempotent_requests", "doubt"],
  ["invalid_idempotent_request", "doubt"],
]);

/** Resend's name of an error. */
export function resendCode(json: Json): string | null {
  return textAt(json, "$.name");
}

/** Whose fault an error is; undefined for a name that is not listed. */
export function resendFault(code: string, status: number): Fault | undefined {
  // The domain is not verified, or the account may only send to itself.
  if (code === "validation_error" && status === 403) return "gateway";
  return faults.get(code);
}
