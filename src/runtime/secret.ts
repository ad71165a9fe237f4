// Secrets that we make ourselves: 256 bits as text, and the SHA-256 that the database keeps instead.

import { createHash } from "node:crypto";
import type { Random } from "./runtime.ts";

/** 43 characters of base64url. */
export function newSecret(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/** SHA-256, hex. A slow hash would guard nothing here: there is no guessing 256 bits. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
