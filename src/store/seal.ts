// Encryption of secrets at rest: AES-256-GCM with the value's row and column as associated data, so that a sealed value that was moved to
// another row cannot be unsealed. The key never comes from the database.

import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Random } from "#runtime/runtime.ts";

export interface Sealer {
  /** `context` names the row and column, e.g. `gateways gw_… settings`; unsealing needs the same. */
  seal(text: string, context: string): string;
  /** Throws if the value was changed, moved, or sealed with another key. */
  unseal(sealed: string, context: string): string;
  /** A digest to recognise a text by; it reveals nothing even to a reader of the database. */
  digest(text: string): string;
  /** HMAC-SHA-256 (32 bytes) of a text that anonymous clients return to us, with a key for this one purpose. */
  mac(purpose: string, text: string): Buffer;
  /** A fingerprint to compare the keys of two installations, which does not reveal the key. */
  fingerprint: string;
}

/** `masterKey`: at least 32 characters of secret text. */
export function createSealer(masterKey: string, random: Random): Sealer {
  const key = Buffer.from(hkdfSync("sha256", masterKey, "trunkline", "seal v1", 32));
  const fingerprint = createHash("sha256")
    .update(Buffer.from(hkdfSync("sha256", masterKey, "trunkline", "fingerprint v1", 32)))
    .digest("hex");
  const digestKey = Buffer.from(hkdfSync("sha256", masterKey, "trunkline", "digest v1", 32));
  const macKeys = new Map<string, Buffer>();
  const macKeyOf = (purpose: string): Buffer => {
    const known = macKeys.get(purpose);
    if (known) return known;
    const created = Buffer.from(hkdfSync("sha256", masterKey, "trunkline", `mac v1 ${purpose}`, 32));
    macKeys.set(purpose, created);
    return created;
  };
  return {
    fingerprint,
    mac: (purpose, text) => createHmac("sha256", macKeyOf(purpose)).update(text).digest(),
    digest: (text) => createHmac("sha256", digestKey).update(text).digest("hex"),
    seal: (text, context) => {
      const nonce = random.bytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    unseal: (sealed, context) => {
      if (!sealed.startsWith("v1.")) throw new Error("A sealed value has an unknown form.");
      const bytes = Buffer.from(sealed.slice(3), "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAAD(
        Buffer.from(context),
      );
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}

const minKeyLength = 32;

/** Reads the key file, or creates one (0600) at the first start. Throws if the file does not contain a key. */
export function readOrCreateMasterKey(path: string, random: Random): string {
  try {
    return readKey(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const created = Buffer.from(random.bytes(32)).toString("base64url");
  // Written completely and flushed under another name: neither a crash nor a second first start ever finds half a key.
  const draft = `${path}.${Buffer.from(random.bytes(8)).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${created}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    // Of two concurrent first starts, only one gives its key the name; the other reads that one.
    linkSync(draft, path);
    return created;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return readKey(path);
  } finally {
    unlinkSync(draft);
  }
}

function readKey(path: string): string {
  const key = readFileSync(path, "utf8").trim();
  if (key.length >= minKeyLength) return key;
  throw new Error(`The key file ${path} is damaged: a master key has at least ${minKeyLength} characters.`);
}
