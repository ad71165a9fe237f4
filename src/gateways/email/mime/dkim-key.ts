// The keys of DKIM: which are strong enough to sign with, and the form of their public halves in DNS.
// RSA as in RFC 8301, whose verifiers need not support more than 4096 bits; Ed25519 as in RFC 8463.

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { DkimKey } from "#gateways/message.ts";

interface PrivateKey {
  algorithm: DkimKey["algorithm"];
  key: KeyObject;
}

/** The error text for keys that `readPrivateKey` refuses. */
export const privateKeyRule =
  "Must be the private key in PEM without a passphrase: RSA of 2048 to 4096 bits, or Ed25519.";

/** A private key in PEM (PKCS #8 or PKCS #1); null for any other text, and for keys that should not sign. */
export function readPrivateKey(pem: string): PrivateKey | null {
  // `createPrivateKey` accepts more than one text format; we accept only this one.
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
