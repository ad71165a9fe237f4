// Settings that add headers to requests. Headers that frame the request or name its peer are refused when saved.

import { z } from "zod";
import { secret } from "./secrets.ts";

/** The HTTP client sets these. */
const framingHeaders =
  /^(host|connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** A map of header names to values, all of them secret. `reserved`: lower-case names that the adapter sets itself. */
export function headersField(reserved: readonly string[] = []) {
  return z.record(
    z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]+$/, "Must be a header name.")
      .refine(
        (name) => !framingHeaders.test(name) && !reserved.includes(name.toLowerCase()),
        "This header cannot be set.",
      ),
    secret().regex(/^[\x20-\x7e]*$/, "Must be plain ASCII on one line."),
  );
}
