// The words by which a person asks for no more messages, or for messages again. Only a body that is the word and
// nothing else counts: "Please stop by at noon" is no opt-out, and "STOP." is left for people to read.

import { trimmed } from "#contract/normalise.ts";

export type Opt = "out" | "in";

// Without the flag `u`, `i` folds ASCII alone: no look-alike of another script is one of the words.
const out = /^(?:stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)$/i;
const back = /^(?:start|unstop)$/i;

/** What the whole body of an incoming message asks for; null: it is just a message. */
export function consentKeyword(body: string): Opt | null {
  const word = trimmed(body);
  if (out.test(word)) return "out";
  return back.test(word) ? "in" : null;
}
