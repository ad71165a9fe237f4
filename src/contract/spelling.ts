// Names of another service's fields that a request writes otherwise than that service does. It would ignore them, and so send a message
// at another time or with less than its caller asked for.

const lettersOf = (name: string) => name.replaceAll(/[^A-Za-z]/g, "").toLowerCase();

/**
 * Finds the known name that a name was meant to be: the same letters in another case or with other characters between and behind them
 * (`sendAt` and `send_at` for `SendAt`, `MediaUrl[0]` for `MediaUrl`). Null for a known name, and for one that resembles none.
 */
export function spellingOf(known: readonly string[]): (name: string) => string | null {
  const names = new Set(known);
  const byLetters = new Map(known.map((name) => [lettersOf(name), name]));
  return (name) => (names.has(name) ? null : (byLetters.get(lettersOf(name)) ?? null));
}
