// A Brevo gateway, and its events as Brevo sends them: unsigned, with a Bearer token that we gave to it.

import type { CallbackRequest } from "#gateways/callback.ts";
import { callbackUrl, now } from "../../conformance-samples.ts";

export const apiKey = "xkeysib-0123456789abcdef";
export const callbackToken = "callback-token-0123456789";
export const settings = {
  from: "news@example.com",
  from_name: "Example",
  api_key: apiKey,
  callback_token: callbackToken,
};
export const reference = "202611201158.9876543210@smtp-relay.mailin.fr";
export const at = now - 3000;

export function event(word: string, more: object = {}): object {
  return {
    event: word,
    email: "ada@example.com",
    id: 9_999_999,
    date: "2026-11-20 12:59:57",
    ts: Math.floor(at / 1000),
    ts_event: Math.floor(at / 1000),
    ts_epoch: at,
    "message-id": `<${reference}>`,
    subject: "Hi",
    sending_ip: "198.51.100.1",
    "X-Mailin-custom": "msg_01test",
    ...more,
  };
}

export function called(payload: unknown): CallbackRequest {
  return {
    method: "POST",
    url: callbackUrl,
    query: new URLSearchParams(),
    headers: { "content-type": "application/json", authorization: `Bearer ${callbackToken}` },
    body: Buffer.from(JSON.stringify(payload)),
  };
}
