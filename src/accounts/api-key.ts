// The API key of an account: 256 bits, looked up by its SHA-256, so that a copy of the database does not hold it.

import { createHash } from "node:crypto";
import type { Random } from "#runtime/runtime.ts";

/** A new key, `tl_` and 43 characters. */
export function newApiKey(random: Random): string {
  return `tl_${Buffer.from(random.bytes(32)).toString("base64url")}`;
}

/** What is stored of a key: its SHA-256, hex. A slow hash would add nothing: 256 random bits cannot be guessed. */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
