// The keys of DKIM: which ones are good enough to sign with, and how their public halves stand in DNS.
// RSA as in RFC 8301, of which verifiers need not read more than 4096 bits; Ed25519 as in RFC 8463.

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { DkimKey } from "#gateways/message.ts";

export interface PrivateKey {
  algorithm: DkimKey["algorithm"];
  key: KeyObject;
}

/** What is said where `readPrivateKey` answers null. */
export const privateKeyRule =
  "Must be the private key in PEM without a passphrase: RSA of 2048 to 4096 bits, or Ed25519.";

/** A private key in PEM (PKCS #8 or PKCS #1); null when it is none, or none that should sign. */
export function readPrivateKey(pem: string): PrivateKey | null {
  // `createPrivateKey` takes more than one form of text; only this one is ours.
  if (!/^\s*-----BEGIN (?:RSA )?PRIVATE KEY-----\s/.test(pem)) return null;
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: "pem" });
  } catch {
    return null;
  }
  if (key.asymmetricKeyType === "ed25519") return { algorithm: "ed25519-sha256", key };
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < 2048 || bits > 4096) return null;
  return { algorithm: "rsa-sha256", key };
}

/** The value of `p=`: base64 of the whole structure (SPKI) for RSA, and of the bare 32 bytes for Ed25519. */
export function publishedKey({ algorithm, key }: PrivateKey): string {
  const structure = createPublicKey(key).export({ type: "spki", format: "der" });
  return structure.subarray(algorithm === "rsa-sha256" ? 0 : -32).toString("base64");
}
