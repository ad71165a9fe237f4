// Reads fields of Google's objects: their names may be written with underscores, and fields that are not translated are reported by name.

import { type Fields, isObject } from "#contract/normalise.ts";

/** Thrown while a request is translated if something in it cannot be expressed in chat completions. */
export class Untranslatable extends Error {
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.param = param;
  }
}

/** The object with its own keys in camel case; nested objects are unchanged. */
export function camelCased(value: unknown): Fields {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).map(([name, field]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    field,
  ]);
  return Object.fromEntries(entries);
}

/** Maximum number of names that are kept. A reply lists fewer. */
const maxNamed = 100;

/** Reports the fields of an object that are not in `own`, the translated ones. */
export function nameOthers(object: Fields, own: readonly string[], where: string, leftOut: string[]): void {
  for (const [name, value] of Object.entries(object)) {
    if (own.includes(name) || value === null || value === undefined) continue;
    if (leftOut.length >= maxNamed) return;
    const full = `${where}.${name}`;
    if (!leftOut.includes(full)) leftOut.push(full);
  }
}
