// What Mailgun's refusals mean for a mail. It has no error codes, only sentences with a 4xx
// (https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses); what is not here goes by its status:
// 401, 403 and 404 are the gateway's trouble, 400 and 413 the mail's, 429 nobody's, 5xx in doubt.

import { type Json, textAt } from "#gateways/sms/http-api/json-path.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";

interface Sentence {
  says: RegExp;
  /** Our word for it: Mailgun has none. */
  code: string;
  fault: Fault;
}

/** The first that fits counts. */
const sentences: readonly Sentence[] = [
  // With 403, older with 400: "Domain … is not allowed to send: …" for a sandbox domain, an account that is not
  // activated, disabled or over its limit. Other recipients fare no better.
  { says: /is not allowed to send/i, code: "domain_not_allowed", fault: "configuration" },
  { says: /sandbox subdomains are for test purposes/i, code: "domain_not_allowed", fault: "configuration" },
  { says: /domain not found/i, code: "domain_not_found", fault: "configuration" },
  // The sender's address is a setting.
  { says: /^'?from'? parameter is /i, code: "invalid_sender", fault: "configuration" },
  { says: /^'?to'? parameter is not a valid address/i, code: "invalid_recipient", fault: "permanent" },
  { says: /limited to 16 ?kB/i, code: "headers_too_large", fault: "permanent" },
  { says: /need at least one of/i, code: "no_body", fault: "permanent" },
];

/** Our word for a refusal; null for a sentence that is not known. */
export function mailgunCode(json: Json): string | null {
  const message = textAt(json, "$.message") ?? "";
  return sentences.find(({ says }) => says.test(message))?.code ?? null;
}

/** Whose fault it is. */
export function mailgunFault(code: string): Fault | undefined {
  return sentences.find((sentence) => sentence.code === code)?.fault;
}
