// Files in base64, encoded once for all mails that carry them, and kept while they are being sent. By content, so one
// file of a request with 10,000 contacts is one entry; bounded by bytes, those used last are kept.

import type { OutgoingAttachment } from "#gateways/gateway.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import { wrappedBase64 } from "./transfer-encoding.ts";

export class EncodedFiles {
  readonly #kept: LruCache<string, Promise<Buffer>>;

  /** `most`: bytes of encoded content that are kept. */
  constructor(most: number) {
    this.#kept = new LruCache(most);
  }

  /** The content in base64 lines; rejects as reading it does, and then tries again when asked again. */
  encode({ sha256, size, content }: OutgoingAttachment): Promise<Buffer> {
    return this.#kept.getOrCreate(sha256, () => content().then(wrappedBase64), Math.ceil(size / 57) * 78);
  }

  clear(): void {
    this.#kept.clear();
  }
}
