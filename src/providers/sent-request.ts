// A request at the moment at which it is sent: some vendors have it signed, with the time in the signature.

import { signedHeaders } from "#settings/aws-signature.ts";
import type { VendorRequest } from "./provider.ts";

/** What goes to the HTTP client: the request with all of its headers, and without the key that signs it. `now`: epoch ms. */
export function sentRequest(
  { method, url, headers, body, awsKey }: VendorRequest,
  now: number,
): Omit<VendorRequest, "awsKey"> {
  const sent = { method, url, headers, body };
  if (awsKey === undefined) return sent;
  return { ...sent, headers: signedHeaders({ ...sent, body: body ?? "" }, awsKey, now) };
}
