// How WhatsApp encrypts files: keys are derived from 32 random bytes and the kind of the file.

import { createCipheriv, createHash, createHmac, hkdfSync } from "node:crypto";

export type FileKind = "image" | "video" | "document" | "audio" | "sticker";

/** The purpose for which the keys of a file are derived. */
const purposes: Record<FileKind, string> = {
  image: "WhatsApp Image Keys",
  sticker: "WhatsApp Image Keys",
  video: "WhatsApp Video Keys",
  audio: "WhatsApp Audio Keys",
  document: "WhatsApp Document Keys",
};
/** At the end of the file: the first bytes of an HMAC over the IV and the ciphertext. */
export const macBytes = 10;

/** For AES-256-CBC, and for the HMAC-SHA256. */
export function fileKeys(kind: FileKind, key: Uint8Array): { iv: Buffer; cipherKey: Buffer; macKey: Buffer } {
  const keys = Buffer.from(hkdfSync("sha256", key, Buffer.alloc(32), purposes[kind], 112));
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) };
}

/** The file as WhatsApp stores it. */
export function encryptFile(kind: FileKind, key: Uint8Array, plain: Uint8Array): Buffer {
  const { iv, cipherKey, macKey } = fileKeys(kind, key);
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const ciphertext = [cipher.update(plain), cipher.final()];
  const hmac = createHmac("sha256", macKey).update(iv);
  for (const piece of ciphertext) hmac.update(piece);
  return Buffer.concat([...ciphertext, hmac.digest().subarray(0, macBytes)]);
}

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
