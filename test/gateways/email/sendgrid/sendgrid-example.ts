// A SendGrid gateway and the events of a webhook, signed by a key pair of the test.

import { createSign, generateKeyPairSync } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import type { Unsigned } from "../../conformance-callbacks.ts";
import { callbackUrl, now } from "../../conformance-samples.ts";

export const apiKey = "SG.0123456789abcdefghijkl.0123456789";
const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
export const publicKey = keys.publicKey.export({ type: "spki", format: "der" }).toString("base64");
export const settings = {
  from: "news@example.com",
  from_name: "Example",
  api_key: apiKey,
  webhook_public_key: publicKey,
};

/** As SendGrid signs: SHA-256 over the timestamp's digits and, right behind them, the body. */
export function signedCall(body: Buffer, timestamp: string, method = "POST"): CallbackRequest {
  const signature = createSign("SHA256").update(timestamp).update(body).sign(keys.privateKey, "base64");
  return {
    method,
    url: callbackUrl,
    query: new URLSearchParams(),
    headers: {
      "content-type": "application/json;charset=utf-8",
      "x-twilio-email-event-webhook-signature": signature,
      "x-twilio-email-event-webhook-timestamp": timestamp,
    },
    body,
  };
}

export const sign = ({ method, body }: Unsigned): CallbackRequest =>
  signedCall(body, String(Math.floor(now / 1000) - 5), method);
