// Settings fields that providers with one fixed host share: the address of that host, and headers to add.

import { headersField } from "#settings/headers.ts";
import { baseUrlField } from "#settings/url.ts";

/** The adapters set these themselves. */
const reservedHeaders = [
  "content-type",
  "accept",
  "accept-encoding",
  "authorization",
  "api-key",
  "x-api-key",
  "x-goog-api-key",
  "anthropic-version",
];

/** The vendor's origin or a proxy's root URL. */
export function hostRoot(vendorUrl: string) {
  return baseUrlField()
    .default(vendorUrl)
    .describe("The root URL of a proxy or a test double; the default is the vendor's.");
}

/** Headers to add to every request, such as beta features. */
export function extraHeaders() {
  return headersField(reservedHeaders)
    .default({})
    .meta({ secret: true })
    .describe("Headers to add to every request.");
}
