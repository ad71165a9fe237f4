// A Resend gateway, and its events signed by `standardwebhooks`, whose scheme Svix and so Resend use.

import { Webhook } from "standardwebhooks";
import type { CallbackRequest } from "#gateways/callback.ts";
import { callbackUrl, now } from "../../conformance-samples.ts";

export const apiKey = "re_0123456789_abcdefghijk";
export const webhookSecret = `whsec_${Buffer.from("0123456789abcdef01234567").toString("base64")}`;
export const settings = {
  from: "news@example.com",
  from_name: "Example",
  api_key: apiKey,
  webhook_secret: webhookSecret,
};
export const reference = "56761188-7520-42d8-8898-ff6fc54ce618";
export const svixId = "msg_2W2D3qXLS5fOaPja1GDg7rF2CwB";
export const at = now - 2000;

/** An event of the type; `more` is in its data. */
export function event(type: string, more: object = {}): object {
  return {
    type,
    created_at: new Date(at).toISOString(),
    data: {
      created_at: "2026-11-20T11:00:00.126000+00:00",
      email_id: reference,
      message_id: "<1@example.com>",
      from: "Example <news@example.com>",
      to: ["ada@example.com"],
      subject: "Hi",
      tags: { trunkline_message: "msg_01test" },
      ...more,
    },
  };
}

/** A call with this body; the signer reads it as text, so junk that is no text is signed as what it reads as. */
export function signedBody(body: Buffer, secret = webhookSecret): CallbackRequest {
  const text = body.toString();
  return {
    method: "POST",
    url: callbackUrl,
    query: new URLSearchParams(),
    headers: {
      "content-type": "application/json",
      "svix-id": svixId,
      "svix-timestamp": String(Math.floor(now / 1000)),
      "svix-signature": new Webhook(secret).sign(svixId, new Date(now), text),
    },
    body: Buffer.from(text),
  };
}

export const signed = (payload: unknown) => signedBody(Buffer.from(JSON.stringify(payload)));
