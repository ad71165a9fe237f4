// Defines what counts as a channel API key, in the header, the query and the body.

import { trimOrNull } from "#contract/normalise.ts";

/** A key that no account has; it replaces a value that is not a text or far too long for a key. */
export const invalidKey = Symbol("not a key");
export type Key = string | typeof invalidKey;

/** Keys are 32 characters and a little more; nothing longer is worth hashing. */
const maxKeyLength = 1_024;

/** A key value; null if it is empty, as if it were absent. */
export function parseKey(value: unknown): Key | null {
  const key = trimOrNull(value);
  if (key === null) return null;
  if (typeof key === "number") return String(key);
  return typeof key === "string" && key.length <= maxKeyLength ? key : invalidKey;
}
