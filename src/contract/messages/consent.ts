// The keywords by which a recipient opts out of messages, or in again. Only a body that is exactly the keyword counts:
// "Please stop by at noon" is no opt-out, and neither is "STOP.".

import { trimmed } from "#contract/normalise.ts";

export type Opt = "out" | "in";

// Without the flag `u`, `i` folds ASCII alone: no look-alike of another script is one of the words.
const out = /^(?:stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)$/i;
const back = /^(?:start|unstop)$/i;

/** Whether the body of an incoming message is an opt-out or an opt-in; null: it is neither. */
export function consentKeyword(body: string): Opt | null {
  const word = trimmed(body);
  if (out.test(word)) return "out";
  return back.test(word) ? "in" : null;
}
