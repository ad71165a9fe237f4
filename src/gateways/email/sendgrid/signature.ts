// The signature of SendGrid's event calls
// (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features):
// ECDSA over the timestamp and the raw body, without anything between them.

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";

/** The verification key as SendGrid shows it: base64 of its DER, with or without PEM lines. Null for any other text. */
export function verificationKey(text: string): KeyObject | null {
  const base64 = text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----|\s/g, "");
  try {
    const key = createPublicKey({ key: Buffer.from(base64, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
  } catch {
    return null;
  }
}

/** When the call was signed (epoch ms); null if the signature is missing or does not match. */
export function signedAt(callback: CallbackRequest, key: KeyObject): number | null {
  const signature = callback.headers["x-twilio-email-event-webhook-signature"];
  const timestamp = callback.headers["x-twilio-email-event-webhook-timestamp"];
  if (signature === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return null;
  const content = Buffer.concat([Buffer.from(timestamp), callback.body]);
  return verify("sha256", content, key, Buffer.from(signature, "base64")) ? Number(timestamp) * 1000 : null;
}
