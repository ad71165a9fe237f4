// What a request says, beside its body, of answers that were made before.

export interface Repeatable {
  /** Its path. */
  path: string;
  /** Its `Idempotency-Key`. */
  idempotencyKey: string | null;
  /** Its `Cache-Control` wants no cached answer. */
  skipsCache: boolean;
}

const skipping = /(?:^|[\s,])no-(?:cache|store)(?:$|[\s,=])/i;

/** Whether a `Cache-Control` of a request wants no cached answer. */
export const skipsCache = (cacheControl: string | undefined): boolean =>
  cacheControl !== undefined && skipping.test(cacheControl);
