// What counts as a channel API key, in the header, the query and the body alike.

import { trimOrNull } from "#contract/normalise.ts";

/** A key that no account has, in place of a value that is no text or far too long for a key. */
export const invalidKey = Symbol("not a key");
export type Key = string | typeof invalidKey;

/** Keys are 32 characters and a little more; nothing longer is worth hashing. */
const maxKeyLength = 1_024;

/** A value in the place of a key; null: it is empty, as if it were absent. */
export function parseKey(value: unknown): Key | null {
  const key = trimOrNull(value);
  if (key === null) return null;
  if (typeof key === "number") return String(key);
  return typeof key === "string" && key.length <= maxKeyLength ? key : invalidKey;
}
