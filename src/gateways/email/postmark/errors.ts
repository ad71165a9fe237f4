// What Postmark's error codes mean for a mail (https://postmarkapp.com/developer/api/overview#error-codes). They stand
// in the body and collide with HTTP statuses by design: code 401 with status 422 is an unconfirmed sender.

import { type Json, textAt } from "#gateways/sms/http-api/json-path.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";

const faults = new Map<string, Fault>([
  ["10", "configuration"], // bad or missing API token
  ["100", "configuration"], // offline for maintenance
  ["300", "permanent"], // invalid email request: a field of it does not pass
  ["400", "configuration"], // no such sender signature
  ["401", "configuration"], // sender signature not confirmed
  ["402", "permanent"], // JSON that it cannot read
  ["403", "permanent"], // a field that it cannot read
  ["405", "configuration"], // out of credits
  ["406", "permanent"], // the recipient bounced or complained before, and is inactive
  ["409", "configuration"], // wrong content type: something in between changed it
  ["411", "permanent"], // forbidden attachment type
  ["412", "configuration"], // account pending approval: only recipients of the sender's own domain
  ["413", "configuration"], // account may not send
  ["429", "transient"], // rate limit
  ["1226", "configuration"], // no message stream of this id
  ["1235", "configuration"], // no such message stream on this server
  ["1236", "configuration"], // the message stream does not send
]);

/** Postmark's code, as digits; null where the answer has none. */
export function postmarkCode(json: Json): string | null {
  const code = textAt(json, "$.ErrorCode");
  return code !== null && /^[1-9]\d{0,5}$/.test(code) ? code : null;
}

/** Whose fault an error is; undefined for a code that is not listed. `message`: what Postmark says of it. */
export function postmarkFault(code: string, message: string): Fault | undefined {
  // The sender's address is a setting, and its name is quoted.
  if (code === "300" && /^(?:Invalid|Error parsing) 'From'/i.test(message)) return "configuration";
  return faults.get(code);
}

/** A 503 with this code is no fault on the way but the planned outage of the API: nothing was taken. */
export function isMaintenance(status: number, json: Json): boolean {
  return status === 503 && postmarkCode(json) === "100";
}
