// A request at the moment at which it is sent: some vendors have it signed, with the time in the signature, and others let it
// in by a token that ends.

import { signedHeaders } from "#settings/aws-signature.ts";
import type { VendorRequest } from "./provider.ts";

/**
 * What goes to the HTTP client: the request with all of its headers, and without the secrets by which it has them. `now`: epoch ms.
 * `token`: the access token of a request that has a grant for one.
 */
export function sentRequest(
  { method, url, headers, body, awsKey }: VendorRequest,
  now: number,
  token?: string,
): Omit<VendorRequest, "awsKey" | "tokenGrant"> {
  const admitted = token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
  const sent = { method, url, headers: admitted, body };
  if (awsKey === undefined) return sent;
  return { ...sent, headers: signedHeaders({ ...sent, body: body ?? "" }, awsKey, now) };
}
