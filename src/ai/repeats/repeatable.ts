// What a request says, beside its body, of answers that were made before.

export interface Repeatable {
  /** Its path. */
  path: string;
  /** Its `Idempotency-Key`. */
  idempotencyKey: string | null;
  /** Its `Cache-Control` wants no cached answer. */
  skipsCache: boolean;
}

/** Where an answer is found again. `fingerprint`: of the request, where the name does not say it. */
export interface Slot {
  kind: "cache" | "idempotency_key";
  name: string;
  fingerprint: string;
  /** How long an answer is kept, ms. */
  ttlMs: number;
}

const skipping = /(?:^|[\s,])no-(?:cache|store)(?:$|[\s,=])/i;

/** Whether a `Cache-Control` of a request wants no cached answer. */
export const skipsCache = (cacheControl: string | undefined): boolean =>
  cacheControl !== undefined && skipping.test(cacheControl);
