// The limits of request bodies. They depend on settings and the route's family; every reader of a body receives them.

import type { Deadlines } from "#http/server/deadlines.ts";

export interface ReadLimits {
  /** Maximum size of a body that is read, bytes. */
  maxBytes: number;
  deadlines: Deadlines;
}

export interface BodyLimits extends ReadLimits {
  /** Maximum number of fields in a form. */
  maxFields: number;
  /** Maximum number of values in a body: texts, numbers, lists, objects. */
  maxValues: number;
}

/** The limits of a multipart body with files. */
export interface UploadLimits extends BodyLimits {
  /** Maximum number of bytes of all parts except files. */
  maxFieldBytes: number;
  /** Maximum number of bytes before the key, files included, if the key is a field of the form. */
  maxKeylessBytes: number;
}

/** Maximum number of values in a body, unless the installation accepts more contacts: parsing this many takes about 0.2 s. */
export const defaultMaxValues = 500_000;
/** A contact with every field has nine values. */
const valuesPerContact = 10;

/** Maximum number of values in a body if a request may contain this many contacts. */
export function maxValuesFor(maxContacts: number): number {
  return Math.max(defaultMaxValues, valuesPerContact * maxContacts);
}
