// The limits of request bodies. Settings and the route's family decide them; every reader of a body takes them.

import type { Deadlines } from "#http/deadlines.ts";

export interface ReadLimits {
  /** Longest body, bytes. */
  maxBytes: number;
  deadlines: Deadlines;
}

export interface BodyLimits extends ReadLimits {
  /** Most fields of a form. */
  maxFields: number;
}

/** The limits of a multipart body with files. */
export interface UploadLimits extends BodyLimits {
  /** Most bytes of all parts but the files. */
  maxFieldBytes: number;
  /** Most bytes before the key, files included, when the key is a field of the form. */
  maxKeylessBytes: number;
}
