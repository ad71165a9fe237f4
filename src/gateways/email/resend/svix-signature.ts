// The signature of Svix, with which Resend signs (https://docs.svix.com/receiving/verifying-payloads/how-manual): the
// Standard Webhooks scheme under its own header names. It covers the body, an id and the time of this very try.

import { createHmac } from "node:crypto";
import type { CallbackRequest } from "#gateways/gateway.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

/** Either side's clock may be off by this; a repeated call has a new time. */
const toleranceMs = 5 * 60_000;

/** A secret as Svix hands it out: base64 behind a prefix. */
export const svixSecret = /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The id of the call, which its repetitions share; null when it is not signed with this secret, or not lately. `now`: epoch ms. */
export function svixVerified({ headers, body }: CallbackRequest, secret: string, now: number): string | null {
  const id = headers["svix-id"] ?? "";
  const timestamp = headers["svix-timestamp"] ?? "";
  if (!/^[\w.-]{1,100}$/.test(id) || !/^\d{9,11}$/.test(timestamp) || !svixSecret.test(secret)) return null;
  if (Math.abs(Number(timestamp) * 1000 - now) > toleranceMs) return null;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const wanted = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  // Several while a secret is being changed; other versions than 1 are other schemes.
  const given = (headers["svix-signature"] ?? "").split(" ");
  return given.some((signature) => constantTimeEqual(signature, `v1,${wanted}`)) ? id : null;
}
