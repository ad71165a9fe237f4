// The personal API key of an account: 256 bits, looked up by its SHA-256, so that the database cannot be
// used to call the API.

import { createHash } from "node:crypto";
import type { Random } from "#runtime/runtime.ts";

/** A new key, `tl_` and 43 characters. */
export function newApiKey(random: Random): string {
  return `tl_${Buffer.from(random.bytes(32)).toString("base64url")}`;
}

/** What the database keeps of a key: SHA-256, hex. A slow hash would guard nothing here: there is no guessing 256 bits. */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
