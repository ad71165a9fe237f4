// Settings fields shared by providers with one fixed host: the address of that host, and additional headers.

import { z } from "zod";
import { headersField } from "#settings/headers.ts";
import { secret } from "#settings/secrets.ts";
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

const maxKeys = 20;

/** Several keys, in addition to `api_key` or instead of it. */
export function severalKeys() {
  return z
    .array(secret())
    .max(maxKeys)
    .optional()
    .meta({ advanced: true })
    .describe(
      "Several keys, used in turn. One that is limited (429) or refused (401, 402, 403) rests, and the next one is used at once.",
    );
}

/** For vendors that need a key. */
export const keyNeeded = {
  path: ["api_key"],
  message: "is needed, or api_keys",
};

/** Headers to add to every request, such as beta features. */
export function extraHeaders() {
  return headersField(reservedHeaders)
    .default({})
    .meta({ secret: true })
    .describe("Headers to add to every request.");
}
