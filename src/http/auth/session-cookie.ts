// The session cookie. Over https it has the `__Host-` prefix, which browsers accept only from this host: no subdomain can set one.

import type { IncomingMessage } from "node:http";

function nameOf(https: boolean): string {
  return https ? "__Host-trunkline" : "trunkline";
}

/** `https`: the public address uses it. */
export function isHttps(publicUrl: string | null): boolean {
  return publicUrl?.startsWith("https://") ?? false;
}

/** The session's secret; null if there is none, or several different ones. */
export function readCookie(request: IncomingMessage, https: boolean): string | null {
  return cookieOf(request, nameOf(https));
}

function cookieOf(request: IncomingMessage, name: string): string | null {
  const start = `${name}=`;
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

/** `Set-Cookie` for a new session; null makes the browser delete the cookie. It expires when the browser is closed, at the latest. */
export function sessionCookie(secret: string | null, https: boolean): string {
  const attributes = ["Path=/", "HttpOnly", "SameSite=Lax"];
  if (https) attributes.push("Secure");
  if (secret === null) attributes.push("Max-Age=0");
  return [`${nameOf(https)}=${secret ?? ""}`, ...attributes].join("; ");
}

/** Sent only with requests that begin and end sessions. Because it has a path, it cannot use `__Host-`. */
const devicePath = "/api/manage/v1/session";
const deviceName = (https: boolean) => (https ? "__Secure-trunkline-device" : "trunkline-device");

/** The secret that identifies the browser; null as for the session's. */
export function readDeviceCookie(request: IncomingMessage, https: boolean): string | null {
  return cookieOf(request, deviceName(https));
}

/** `Set-Cookie` that makes the browser known for `forMs`. Signing out keeps it: the cookie by itself does not sign in. */
export function deviceCookie(device: string, forMs: number, https: boolean): string {
  const age = `Max-Age=${Math.floor(forMs / 1_000)}`;
  const attributes = [`Path=${devicePath}`, "HttpOnly", "SameSite=Strict", ...(https ? ["Secure"] : []), age];
  return [`${deviceName(https)}=${device}`, ...attributes].join("; ");
}
