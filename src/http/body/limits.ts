// The limits of request bodies. Settings and the route's family decide them; every reader of a body takes them.

import type { Deadlines } from "#http/server/deadlines.ts";

export interface ReadLimits {
  /** The longest body that is read, bytes. */
  maxBytes: number;
  deadlines: Deadlines;
}

export interface BodyLimits extends ReadLimits {
  /** Most fields of a form. */
  maxFields: number;
  /** Most values of a body: texts, numbers, lists, objects. */
  maxValues: number;
}

/** The limits of a multipart body with files. */
export interface UploadLimits extends BodyLimits {
  /** Most bytes of all parts but the files. */
  maxFieldBytes: number;
  /** Most bytes before the key, files included, when the key is a field of the form. */
  maxKeylessBytes: number;
}

/** Most values of a body, unless the installation takes more contacts: parsing this many takes about 0.2 s. */
export const defaultMaxValues = 500_000;
/** A contact with every field has nine values. */
const valuesPerContact = 10;

/** Most values of a body where a request may bring this many contacts. */
export function maxValuesFor(maxContacts: number): number {
  return Math.max(defaultMaxValues, valuesPerContact * maxContacts);
}
