// What of Google's objects is read: names may be written with underscores, and what is not translated is named.

import { type Fields, isObject } from "#contract/normalise.ts";

/** Thrown while a request is translated: what it holds has no form in chat completions. */
export class Untranslatable extends Error {
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.param = param;
  }
}

/** The object with its own names, not those inside of it, in camel case. */
export function camelCased(value: unknown): Fields {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).map(([name, field]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    field,
  ]);
  return Object.fromEntries(entries);
}

/** The most names that are kept. A reply has fewer. */
const maxNamed = 100;

/** Names what an object has beside its `own` fields, which are translated. */
export function nameOthers(object: Fields, own: readonly string[], where: string, leftOut: string[]): void {
  for (const [name, value] of Object.entries(object)) {
    if (own.includes(name) || value === null || value === undefined) continue;
    if (leftOut.length >= maxNamed) return;
    const full = `${where}.${name}`;
    if (!leftOut.includes(full)) leftOut.push(full);
  }
}
