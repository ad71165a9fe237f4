// Settings fields that say where requests go. Each is marked, so that a refusal of the outbound guard names its field.

import { z } from "zod";
import { unwrapField } from "./secrets.ts";

/** Marks a field that decides where requests go: a URL, or the host of a mail server. */
export const urlMark = { url: true } as const;

/** The root of a vendor's API. Paths are put behind it and it is shown, so it takes no query and no login. */
export function baseUrlField() {
  return z
    .string()
    .regex(/^https?:\/\/[^?#@\s]+$/i, "Must be an http or https URL without a login and a query.")
    .refine((text) => URL.canParse(text), "Must be an http or https URL.")
    .meta(urlMark);
}

/** The path of the marked field within settings; empty when no field is marked. */
export function urlFieldPath(settings: z.ZodObject): string[] {
  const marked = Object.entries(settings.shape).find(
    ([, field]) => unwrapField(field as z.ZodType).marks.url,
  );
  return marked === undefined ? [] : [marked[0]];
}

/** `path` behind the root of an API, with one slash between them. `path` begins with a slash. */
export function joinUrl(root: string, path: string): string {
  return `${root.replace(/(?<!\/)\/+$/, "")}${path}`;
}
