// What Brevo's error codes mean for a mail (https://developers.brevo.com/docs/how-it-works, and the error model of its
// clients). Their statuses say little: most come with 400.

import { type Json, textAt } from "#gateways/sms/http-api/json-path.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";

const faults = new Map<string, Fault>([
  ["invalid_parameter", "permanent"],
  ["missing_parameter", "permanent"],
  ["out_of_range", "permanent"],
  ["bad_request", "permanent"],
  ["unprocessable_entity", "permanent"],
  ["unauthorized", "configuration"], // a wrong key, or an address of ours that is not allowed to use it
  ["permission_denied", "configuration"],
  ["reseller_permission_denied", "configuration"],
  ["not_enough_credits", "configuration"],
  ["account_under_validation", "configuration"],
  ["document_not_found", "configuration"],
  ["method_not_allowed", "configuration"],
  ["not_acceptable", "configuration"],
  ["too_many_requests", "transient"],
  // A request with this idempotency key came before: whether its mail was sent, this answer does not say.
  ["duplicate_parameter", "ambiguous"],
  ["duplicate_request", "ambiguous"],
]);

/** Brevo's code of an error. */
export function brevoCode(json: Json): string | null {
  return textAt(json, "$.code");
}

/** Whose fault an error is; undefined for a code that is not listed. `message`: what Brevo says of it. */
export function brevoFault(code: string, message: string): Fault | undefined {
  // The sender's address is a setting: not verified, not active, not allowed.
  if (code === "invalid_parameter" && /\bsender\b/i.test(message)) return "configuration";
  return faults.get(code);
}
