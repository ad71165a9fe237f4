// Signatures by the Standard Webhooks scheme (https://www.standardwebhooks.com, "Signature scheme"): HMAC-SHA256
// over id, time and body, so that a receiver can verify the sender, the content and the age of a post.

import { createHmac } from "node:crypto";
import type { Random } from "#runtime/runtime.ts";

const prefix = "whsec_";
const secretBytes = 32;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(random: Random): string {
  return prefix + Buffer.from(random.bytes(secretBytes)).toString("base64");
}

/** Whether the text is `whsec_` and 24 to 64 bytes in base64, with its padding. */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const key = keyOf(text);
  // Buffer skips characters that are not base64, so only a text that comes back unchanged is base64.
  return key.length >= 24 && key.length <= 64 && prefix + key.toString("base64") === text;
}

const keyOf = (secret: string) => Buffer.from(secret.slice(prefix.length), "base64");

/** The value of `webhook-signature`: one signature for each secret. `seconds`: the value of `webhook-timestamp`. */
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

/** How long a secret that was replaced still signs. */
export const oldSecretMs = 24 * 3_600_000;

export const userAgent = "Trunkline";

/** The headers of an event that is posted at a time (epoch ms). */
export function signedHeaders(secrets: readonly string[], id: string, at: number, body: string) {
  const seconds = Math.floor(at / 1000);
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatureHeader(secrets, id, seconds, body),
  };
}
