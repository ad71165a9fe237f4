// A Twilio gateway, and a second implementation of Twilio's signature that shares nothing with the adapter's.

import { createHmac } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import type { Unsigned } from "../../conformance-callbacks.ts";
import { callbackUrl } from "../../conformance-samples.ts";

export const authToken = "auth-token-0123456789";
export const accountSid = `AC${"0a".repeat(16)}`;
export const sid = "SM711c87aba9a3ed02554c91a7d503b64e";
export const settings = { account_sid: accountSid, auth_token: authToken, from: "+15005550006" };
/** Signed by the words of Twilio's documentation, on its own code: each name in order, then its values. */
export function sign({ method, query, contentType, body }: Unsigned): CallbackRequest {
  const parameters = new URLSearchParams(query);
  const url = query.length === 0 ? callbackUrl : `${callbackUrl}?${parameters}`;
  const pairs = method === "POST" ? Array.from(new URLSearchParams(body.toString())) : [];
  const distinct = new Map(pairs.map((pair) => [JSON.stringify(pair), pair]));
  const sorted = [...distinct.values()].sort(([a, b], [c, d]) => (a < c ? -1 : a > c ? 1 : b < d ? -1 : 1));
  const hmac = createHmac("sha1", authToken).update(url + sorted.flat().join(""));
  return {
    method,
    url,
    query: parameters,
    headers: { "content-type": contentType, "x-twilio-signature": hmac.digest("base64") },
    body,
  };
}
