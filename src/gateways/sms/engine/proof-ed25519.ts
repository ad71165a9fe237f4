// Callbacks that are signed with the vendor's Ed25519 key (RFC 8032).

import { createPublicKey, verify } from "node:crypto";
import { forbidden, notConfigured, type Proof, type Secret } from "./proof.ts";
import { isRecent } from "./proof-hmac.ts";

/** DER of an Ed25519 public key up to its 32 bytes (RFC 8410). */
const ed25519Prefix = Buffer.from("302a300506032b6570032100", "hex");

/** Ed25519 over time, separator and body. The key: its 32 bytes in base64. */
export function ed25519<Settings>({
  key,
  named,
  header,
  timeHeader,
  separator,
}: {
  key: Secret<Settings>;
  named: string;
  header: string;
  timeHeader: string;
  separator: string;
}): Proof<Settings> {
  return (callback, settings, { clock }) => {
    const bytes = Buffer.from(key(settings) ?? "", "base64");
    if (bytes.length !== 32) return notConfigured(named);
    const { [header]: signature, [timeHeader]: time } = callback.headers;
    if (signature === undefined || time === undefined) return forbidden(`The ${header} header is missing.`);
    if (!isRecent(time, clock.now())) return forbidden("The signature is too old.");
    const publicKey = createPublicKey({
      key: Buffer.concat([ed25519Prefix, bytes]),
      format: "der",
      type: "spki",
    });
    const text = Buffer.concat([Buffer.from(`${time}${separator}`), callback.body]);
    return verify(null, text, publicKey, Buffer.from(signature, "base64"))
      ? { kind: "proved", covers: "body" }
      : forbidden(`The ${header} does not fit.`);
  };
}
