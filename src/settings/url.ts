// Settings fields that determine where requests are sent. Each is marked, so that a refusal of the outbound guard names its field.

import { z } from "zod";
import { unwrapField } from "./secrets.ts";

/** Marks a field that determines where requests are sent: a URL, or the host of a server. */
export const urlMark = { url: true } as const;

const hostName =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;
const ipv6 = /^[0-9a-f.]*:[0-9a-f:.]*$/i;

/** The root of a vendor's API. Paths are appended to it and it is shown, so it has neither query nor login. */
export function baseUrlField() {
  return z
    .string()
    .regex(/^https?:\/\/[^?#@\s]+$/i, "Must be an http or https URL without a login and a query.")
    .refine((text) => URL.canParse(text), "Must be an http or https URL.")
    .meta(urlMark);
}

/** A server of a protocol other than HTTP: a host name, an IPv4 address, or an IPv6 address without brackets. */
export function hostField() {
  return z
    .string()
    .refine((host) => hostName.test(host) || ipv6.test(host), {
      error: "Must be a host name or an IP address.",
    })
    .meta(urlMark);
}

/** A server as a URL, in the form that the outbound guard checks. */
export function hostUrl(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}

/** The path of the marked field that leads to `url`, within settings; by default that of the first. Empty if no field is marked. */
export function urlFieldPath(
  settings: z.ZodObject,
  values: Readonly<Record<string, unknown>> = {},
  url = "",
): string[] {
  const marked = Object.entries(settings.shape).flatMap(([name, field]) =>
    unwrapField(field as z.ZodType).marks.url ? [name] : [],
  );
  const origin = URL.parse(url)?.origin;
  const leading = marked.find((name) => URL.parse(String(values[name]))?.origin === origin);
  return [leading ?? marked[0]].filter((name) => name !== undefined);
}

/** `path` appended to the root of an API, with one slash between them. `path` begins with a slash. */
export function joinUrl(root: string, path: string): string {
  return `${root.replace(/(?<!\/)\/+$/, "")}${path}`;
}
