// How Meta authenticates its callbacks (https://developers.facebook.com/docs/graph-api/webhooks/getting-started): our verify token at the
// handshake, and a signature over the bytes as received. The same JSON in other bytes has another signature.

import { createHmac } from "node:crypto";
import type { CallbackRequest, Received } from "#gateways/callback.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

/** Whether the body is signed with the app secret. `X-Hub-Signature`, which is SHA-1, does not count. */
export function isSigned({ headers, body }: CallbackRequest, appSecret: string): boolean {
  const header = headers["x-hub-signature-256"] ?? "";
  return constantTimeEqual(header, `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`);
}

/** The answer to the GET with which Meta checks that the callback URL is ours. The challenge is echoed as plain text. */
export function handshake({ query }: CallbackRequest, verifyToken: string): Received {
  if (
    query.get("hub.mode") !== "subscribe" ||
    !constantTimeEqual(query.get("hub.verify_token") ?? "", verifyToken)
  )
    return { kind: "forbidden", reason: "The verify token does not fit." };
  const challenge = query.get("hub.challenge") ?? "";
  if (!/^[\w.-]{1,256}$/.test(challenge))
    return { kind: "malformed", reason: "The handshake has no challenge." };
  const reply = { contentType: "text/plain; charset=utf-8", body: challenge };
  return { kind: "received", receipts: [], inbound: [], reply };
}
