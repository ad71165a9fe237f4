// What Resend's error names mean for a mail (https://resend.com/docs/api-reference/errors). Names repeat under several
// statuses, so both count; what is not here goes by its status.

import { type Json, textAt } from "#gateways/sms/http-api/json-path.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";

const faults = new Map<string, Fault>([
  ["validation_error", "permanent"], // of 400 and 422; of 403 see below
  ["missing_required_field", "permanent"],
  ["invalid_attachment", "permanent"],
  ["invalid_parameter", "permanent"],
  ["invalid_idempotency_key", "permanent"],
  ["missing_api_key", "configuration"],
  ["restricted_api_key", "configuration"],
  ["invalid_api_key", "configuration"],
  ["invalid_from_address", "configuration"], // the sender's address is a setting
  ["invalid_access", "configuration"],
  ["invalid_region", "configuration"],
  ["not_found", "configuration"],
  ["method_not_allowed", "configuration"],
  ["security_error", "configuration"],
  ["daily_quota_exceeded", "configuration"], // of a rolling day, so waiting helps
  ["monthly_quota_exceeded", "configuration"],
  ["rate_limit_exceeded", "transient"],
  // A request with this key came before: whether its mail was sent, this answer does not say.
  ["concurrent_idempotent_requests", "ambiguous"],
  ["invalid_idempotent_request", "ambiguous"],
]);

/** Resend's name of an error. */
export function resendCode(json: Json): string | null {
  return textAt(json, "$.name");
}

/** Whose fault an error is; undefined for a name that is not listed. */
export function resendFault(code: string, status: number): Fault | undefined {
  // The domain is not verified, or the account may only send to itself.
  if (code === "validation_error" && status === 403) return "configuration";
  return faults.get(code);
}
