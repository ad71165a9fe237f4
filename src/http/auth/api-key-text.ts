// What counts as a channel API key, wherever in a request it stands.

import { trimOrNull } from "#contract/normalise.ts";

/** A key that no account has: stands for a value that is there, but is no text or far too long for a key. */
export const invalidKey = Symbol("not a key");
export type Key = string | typeof invalidKey;

/** Keys are 32 characters and a little more; nothing longer is worth hashing. */
const maxKeyLength = 1_024;

/** A value that stands where a key belongs; null: it is empty, and so there is none. */
export function parseKey(value: unknown): Key | null {
  const key = trimOrNull(value);
  if (key === null) return null;
  if (typeof key === "number") return String(key);
  return typeof key === "string" && key.length <= maxKeyLength ? key : invalidKey;
}
