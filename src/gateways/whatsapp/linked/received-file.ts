// The file of a message from a person. WhatsApp stores it encrypted with a key of its own, which came with the message: with the key,
// neither the device nor its library is needed.

import { createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { FileTools, OpenedFile, ReceivedFile } from "#gateways/received-file.ts";
import { isBodyError } from "#runtime/net/streaming-client.ts";
import { type FileKind, fileKeys, macBytes } from "./file-keys.ts";
import type { ReceivedFacts } from "./protocol.ts";

/** WhatsApp deletes files after a time that it does not publish. */
export const linkedFileMs = 30 * 86_400_000;
/** WhatsApp's file server. */
export const whatsappFiles = "https://mmg.whatsapp.net";
const connectMs = 10_000;
const headersMs = 15_000;
const patienceMs = 30_000;
/** The largest file that a person can send. */
const maxBytes = 2 * 1024 * 1024 * 1024;

type File = NonNullable<ReceivedFacts["file"]>;

export const storedFile = ({ path, kind, key, contentType, filename }: File): ReceivedFile => ({
  id: path,
  contentType,
  filename,
  secret: `${kind} ${key}`,
});

/** `origin`: that of the file server. `proxy`: the device's. */
export async function openLinkedFile(
  { id: path, secret = "" }: ReceivedFile,
  { origin, proxy }: { origin: string; proxy: string | null },
  { upstreams, signal }: FileTools,
): Promise<OpenedFile> {
  const opened = await upstreams.open({
    method: "GET",
    url: origin + path,
    headers: { origin: "https://web.whatsapp.com", accept: "*/*" },
    body: null,
    connectMs,
    headersMs,
    signal,
    proxy,
  });
  if (opened.kind === "failed") return { kind: "unavailable", reason: `WhatsApp's file: ${opened.reason}` };
  const { status, body } = opened;
  if (status !== 200) {
    body.cancel();
    return [403, 404, 410].includes(status)
      ? { kind: "gone" }
      : { kind: "unavailable", reason: `WhatsApp answered ${status} for the file.` };
  }
  const [kind, key] = secret.split(" ") as [FileKind, string];
  const decrypting = new FileDecryption(kind, key);
  let bytes = 0;
  let isOver = false;
  return {
    kind: "opened",
    bytes: null,
    next: async () => {
      while (!isOver) {
        const piece = await body.read(patienceMs);
        if (isBodyError(piece)) throw new Error(`The file broke off: ${piece.reason}`);
        bytes += piece?.length ?? 0;
        if (bytes > maxBytes) throw new Error("The file is longer than WhatsApp takes.");
        isOver = piece === null;
        const plain = piece === null ? decrypting.end() : decrypting.take(piece);
        if (plain.length > 0) return plain;
      }
      return null;
    },
    cancel: () => body.cancel(),
  };
}

/** Decrypts piece by piece; whether the whole is genuine is known at its end. */
class FileDecryption {
  readonly #decipher;
  readonly #hmac;
  /** The last bytes, which may be the MAC at the end. */
  #held: Buffer = Buffer.alloc(0);

  constructor(kind: FileKind, key: string) {
    const { iv, cipherKey, macKey } = fileKeys(kind, Buffer.from(key, "base64"));
    this.#decipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
    this.#hmac = createHmac("sha256", macKey).update(iv);
  }

  take(piece: Uint8Array): Buffer {
    const all = Buffer.concat([this.#held, piece]);
    const end = Math.max(0, all.length - macBytes);
    this.#held = all.subarray(end);
    const ciphertext = all.subarray(0, end);
    this.#hmac.update(ciphertext);
    return this.#decipher.update(ciphertext);
  }

  /** Throws if the file is not what was sent. */
  end(): Buffer {
    const mac = this.#hmac.digest().subarray(0, macBytes);
    if (this.#held.length !== macBytes || !timingSafeEqual(mac, this.#held))
      throw new Error("The file is not the one that was sent.");
    return this.#decipher.final();
  }
}
