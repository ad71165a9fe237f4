// Settings fields shared by providers with one fixed host: its address, and extra headers. Headers that the adapter
// sets itself, or that frame the request, are rejected on save.

import { z } from "zod";
import { secret } from "./provider.ts";

const reservedHeaders =
  /^(host|connection|content-length|content-type|accept|accept-encoding|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|authorization|api-key|x-api-key|x-goog-api-key|anthropic-version)$/i;

/** The vendor's origin or a proxy's root URL. */
export function hostRoot(vendorUrl: string) {
  return z
    .string()
    .regex(/^https?:\/\/[^?#@\s]+$/i, "Must be an http or https URL without a login and a query.")
    .refine((text) => URL.canParse(text), "Must be an http or https URL.")
    .default(vendorUrl)
    .describe("The root URL of a proxy or a test double; the default is the vendor's.");
}

/** Headers to add to every request, such as beta features. */
export function extraHeaders() {
  return z
    .record(
      z
        .string()
        .regex(/^[\w!#$%&'*+.^`|~-]+$/, "Must be a header name.")
        .refine((name) => !reservedHeaders.test(name), "This header cannot be set."),
      secret().regex(/^[\x20-\x7e]*$/, "Must be plain ASCII on one line."),
    )
    .default({})
    .meta({ secret: true })
    .describe("Headers to add to every request.");
}

/** Joins a root URL, with or without a final slash, and a path. */
export function joinUrl(root: string, path: string): string {
  return `${root.replace(/(?<!\/)\/+$/, "")}${path}`;
}
