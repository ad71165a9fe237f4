// Completes a request at the moment it is sent: some vendors require a signature that includes the time, others a token that expires.

import { signedHeaders } from "#settings/aws-signature.ts";
import type { VendorRequest } from "./provider.ts";

/**
 * The request as the HTTP client receives it: with all of its headers, and without the secrets from which they were made. `now`: epoch ms.
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
