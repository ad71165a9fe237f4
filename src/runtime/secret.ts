// Generated secrets: 256 bits as text, and their SHA-256, which is stored instead.

import { createHash } from "node:crypto";
import type { Random } from "./runtime.ts";

/** 43 characters of base64url. */
export function newSecret(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/** SHA-256, hex. A slow hash would add nothing: 256 random bits cannot be guessed. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
