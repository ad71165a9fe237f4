// Signatures by the Standard Webhooks scheme (https://www.standardwebhooks.com, "Signature scheme"): HMAC-SHA256
// over id, time and body, so that a receiver can tell who sent it, that it is whole, and that it is not old.

import { createHmac } from "node:crypto";
import type { Random } from "#runtime/runtime.ts";

const prefix = "whsec_";
const madeBytes = 32;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(random: Random): string {
  return prefix + Buffer.from(random.bytes(madeBytes)).toString("base64");
}

/** Whether the text is `whsec_` and 24 to 64 bytes in base64, with its padding. */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const key = keyOf(text);
  // Buffer leaves out what is no base64, so only what it gives back as it was is one.
  return key.length >= 24 && key.length <= 64 && prefix + key.toString("base64") === text;
}

const keyOf = (secret: string) => Buffer.from(secret.slice(prefix.length), "base64");

/** The value of `webhook-signature`: one signature for each secret. `seconds`: of `webhook-timestamp`. */
export function signatureHeader(
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): string {
  return secrets
    .map((secret) => {
      const digest = createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.${body}`).digest("base64");
      return `v1,${digest}`;
    })
    .join(" ");
}
