// Selects the client headers that are forwarded to a member that speaks the API's format. Credentials, organization, cookies and headers
// meant for the gateway are not forwarded; across formats, no header is.

import type { Received } from "./client-api.ts";

/** The headers whose names are in `names` or begin with one of `prefixes`. */
export function forwardedHeaders(
  headers: Received["headers"],
  names: ReadonlySet<string>,
  prefixes: readonly string[],
): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !(names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))))
      continue;
    forwarded[name] = typeof value === "string" ? value : value.join(", ");
  }
  return forwarded;
}
