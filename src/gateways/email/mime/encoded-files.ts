// A cache of files in base64, so that each is encoded once for all mails that carry it. The key is the content's hash: one
// file of a request with 10,000 contacts is one entry. Bounded by bytes; the least recently used entries are dropped.

import type { OutgoingAttachment } from "#gateways/message.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import { wrappedBase64 } from "./transfer-encoding.ts";

export class EncodedFiles {
  readonly #cache: LruCache<string, Promise<Buffer>>;

  /** `maxBytes`: of encoded content. */
  constructor(maxBytes: number) {
    this.#cache = new LruCache(maxBytes);
  }

  /** The content in base64 lines. Rejects if reading rejects, and the next call reads again. */
  encode({ sha256, size, content }: OutgoingAttachment): Promise<Buffer> {
    return this.#cache.getOrCreate(sha256, () => content().then(wrappedBase64), Math.ceil(size / 57) * 78);
  }

  clear(): void {
    this.#cache.clear();
  }
}
