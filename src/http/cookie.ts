// The session cookie. Over https it has the `__Host-` prefix, which browsers take from this host alone: no
// subdomain can plant one.

import type { IncomingMessage } from "node:http";

function nameOf(https: boolean): string {
  return https ? "__Host-trunkline" : "trunkline";
}

/** `https`: the public address is. */
export function isHttps(publicUrl: string | null): boolean {
  return publicUrl?.startsWith("https://") ?? false;
}

/** The session's secret; null: none came, or several different ones, of which nobody can say which is ours. */
export function readCookie(request: IncomingMessage, https: boolean): string | null {
  const start = `${nameOf(https)}=`;
  const values = new Set(
    (request.headers.cookie ?? "")
      .split(";")
      .map((part) => part.trim())
      .filter((part) => part.startsWith(start))
      .map((part) => part.slice(start.length)),
  );
  const [value] = values;
  return values.size === 1 && value !== undefined && value !== "" ? value : null;
}

/** `Set-Cookie` for a new session; null: for none, which makes the browser forget it. Ends with the browser, at the latest. */
export function sessionCookie(secret: string | null, https: boolean): string {
  const attributes = ["Path=/", "HttpOnly", "SameSite=Lax"];
  if (https) attributes.push("Secure");
  if (secret === null) attributes.push("Max-Age=0");
  return [`${nameOf(https)}=${secret ?? ""}`, ...attributes].join("; ");
}
