// The keywords with which a recipient opts out of messages, or in again. Only a body that consists of exactly the keyword counts: "Please
// stop by at noon" is not an opt-out. Punctuation after the keyword is ignored: "STOP." is one. The opt-out words are those of 47 CFR
// 64.1200(a)(10), and others that SMS networks accept.

import { trimmed } from "#contract/normalise.ts";

type Opt = "out" | "in";

// Without the flag `u`, `i` folds ASCII only, so look-alikes from other scripts do not match.
const optOut = /^(?:stop|stopall|unsubscribe|cancel|end|quit|revoke|opt[ -]?out)[.!,;]{0,3}$/i;
const optIn = /^(?:start|unstop)[.!,;]{0,3}$/i;

/** The consent change that an inbound message expresses; null if its body is not a keyword. */
export function consentKeyword(body: string): Opt | null {
  const word = trimmed(body);
  if (optOut.test(word)) return "out";
  return optIn.test(word) ? "in" : null;
}
