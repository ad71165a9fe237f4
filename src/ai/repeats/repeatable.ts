// What a request says, apart from its body, about answers made earlier.

export interface Repeatable {
  /** Its path. */
  path: string;
  /** Its `Idempotency-Key`. */
  idempotencyKey: string | null;
  /** Its `Cache-Control` excludes cached answers. */
  skipsCache: boolean;
}

/** The identity under which an answer is found again. `fingerprint`: that of the request, if the name does not include it. */
export interface Slot {
  kind: "cache" | "idempotency_key";
  name: string;
  fingerprint: string;
  /** How long an answer is kept, ms. */
  ttlMs: number;
}

const skipping = /(?:^|[\s,])no-(?:cache|store)(?:$|[\s,=])/i;

/** Whether a request's `Cache-Control` excludes cached answers. */
export const skipsCache = (cacheControl: string | undefined): boolean =>
  cacheControl !== undefined && skipping.test(cacheControl);
