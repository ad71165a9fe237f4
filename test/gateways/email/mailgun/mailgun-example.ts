// A Mailgun gateway, and its events signed by the words of Mailgun's documentation on code of its own.

import { createHmac } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import { callbackUrl, now } from "../../conformance-samples.ts";

export const apiKey = "key-0123456789abcdef";
export const signingKey = "signing-key-0123456789";
export const settings = {
  from: "news@example.com",
  from_name: "Example",
  domain: "mg.example.com",
  api_key: apiKey,
  webhook_signing_key: signingKey,
};
export const messageId = "20260203192638.000be97f99f8cea1@mg.example.com";
/** Seconds with a fraction, as Mailgun has it. */
export const at = now - 1500;

/** An event's payload, of the kind, with more or other fields. */
export function event(word: string, more: object = {}): object {
  return {
    event: word,
    id: "CCXMjJ7nQi2N3BPigGOdgQ",
    timestamp: at / 1000,
    "log-level": "info",
    recipient: "ada@example.com",
    "recipient-domain": "example.com",
    message: {
      headers: {
        to: "ada@example.com",
        from: "Example <news@example.com>",
        subject: "Hi",
        "message-id": messageId,
      },
      attachments: [],
      size: 809,
    },
    flags: { "is-routed": false, "is-authenticated": true, "is-test-mode": false },
    tags: [],
    "user-variables": { trunkline_message: "msg_01test" },
    ...more,
  };
}

export function signed(
  payload: unknown,
  { key = signingKey, seconds = Math.floor(now / 1000), token = "f0".repeat(25) } = {},
): CallbackRequest {
  const timestamp = String(seconds);
  const signature = createHmac("sha256", key).update(timestamp.concat(token)).digest("hex");
  return {
    method: "POST",
    url: callbackUrl,
    query: new URLSearchParams(),
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify({ signature: { timestamp, token, signature }, "event-data": payload })),
  };
}
