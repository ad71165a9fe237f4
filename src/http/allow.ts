// Which methods a path accepts: the `Allow` of a 405.

import type { Endpoint } from "./endpoint.ts";

/** The end of a path that names an operation of a model. */
const verb = /:[a-z][A-Za-z]*\/?$/;

/**
 * Which methods a path accepts instead of this one: the `Allow` of a 405. Null for a path that does not exist, and for one that accepts the
 * method but whose parameters could not be read.
 */
export function createAllow(all: readonly Endpoint[]): (method: string, url: string) => string | null {
  const known = new Map<string, { pattern: RegExp; methods: Set<string>; isRest: boolean }>();
  for (const { path, method, wildcard } of all.map((endpoint) => endpoint.head)) {
    const segments = path
      .replaceAll(".", "\\.")
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === wildcard ? ".+" : "[^/]+"));
    const pattern = new RegExp(`^${segments}/?$`);
    const entry = known.get(path) ?? { pattern, methods: new Set(), isRest: wildcard !== undefined };
    entry.methods.add(method);
    if (method === "GET") entry.methods.add("HEAD");
    known.set(path, entry);
  }
  // As the router chooses: `/webhooks/stats` is not a webhook of that id.
  const parameters = (path: string) => path.split("{").length;
  const byParameters = [...known].sort(([a], [b]) => parameters(a) - parameters(b));
  return (method, url) => {
    const path = url.split(/[?#]/, 1)[0] ?? "";
    for (const [, { pattern, methods, isRest }] of byParameters) {
      if (!pattern.test(path)) continue;
      // `models/m:predict` is no model that could only be read, but an operation that is not there.
      if (isRest && method === "POST" && verb.test(path)) continue;
      return methods.has(method) ? null : [...methods].sort().join(", ");
    }
    return null;
  };
}
