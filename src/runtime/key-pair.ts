// New signing keys. Separate from `random.ts`, because OpenSSL draws them itself and no seed reproduces them.

import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";

const generate = promisify(generateKeyPair);

/** A new private key as PKCS #8 PEM; RSA has 2048 bits, and takes about 100 ms on another thread. */
export async function newPrivateKey(kind: "rsa" | "ed25519"): Promise<string> {
  const { privateKey } = await (kind === "rsa"
    ? generate("rsa", { modulusLength: 2048 })
    : generate("ed25519", {}));
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
