// The headers of a request at the moment at which it is sent: some vendors have it signed, with the time in the signature.

import { signedHeaders } from "#settings/aws-signature.ts";
import type { VendorRequest } from "./provider.ts";

/** All headers of the request. `now`: epoch ms. */
export function sentHeaders(
  { method, url, headers, body, awsKey }: VendorRequest,
  now: number,
): Record<string, string> {
  return awsKey === undefined
    ? headers
    : signedHeaders({ method, url, headers, body: body ?? "" }, awsKey, now);
}
