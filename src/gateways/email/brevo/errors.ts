// What Brevo's error codes mean for a mail (https://developers.brevo.com/docs/how-it-works, and the error model of its
// clients). Their statuses say little: most come with 400.

import { type Json, textAt } from "#gateways/sms/http-api/json-path.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";

const faults = new Map<string, Fault>([
  ["invalid_parameter", "message"],
  ["missing_parameter", "message"],
  ["out_of_range", "message"],
  ["bad_request", "message"],
  ["unprocessable_entity", "message"],
  ["unauthorized", "gateway"], // a wrong key, or an address of ours that is not allowed to use it
  ["permission_denied", "gateway"],
  ["reseller_permission_denied", "gateway"],
  ["not_enough_credits", "gateway"],
  ["account_under_validation", "gateway"],
  ["document_not_found", "gateway"],
  ["method_not_allowed", "gateway"],
  ["not_acceptable", "gateway"],
  ["too_many_requests", "later"],
  // A request with this idempotency key came before: whether its mail was sent, this answer does not say.
  ["duplicate_parameter", "doubt"],
  ["duplicate_request", "doubt"],
]);

/** Brevo's code of an error. */
export function brevoCode(json: Json): string | null {
  return textAt(json, "$.code");
}

/** Whose fault an error is; undefined for a code that is not listed. `message`: what Brevo says of it. */
export function brevoFault(code: string, message: string): Fault | undefined {
  // The sender's address is a setting: not verified, not active, not allowed.
  if (code === "invalid_parameter" && /\bsender\b/i.test(message)) return "gateway";
  return faults.get(code);
}
