// The signature of Svix, with which Resend signs (https://docs.svix.com/receiving/verifying-payloads/how-manual): the
// Standard Webhooks scheme under its own header names. It covers the body, an id and the time of this attempt.

import { createHmac } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

/** How far the two clocks may differ. A repeated call has a new time, so this needs no room for retries. */
const toleranceMs = 5 * 60_000;

/** A secret as Svix issues it: base64 behind a prefix. */
export const svixSecret = /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The id of the call, which its repetitions share; null if it is not signed with this secret, or not recently. `now`: epoch ms. */
export function svixVerified({ headers, body }: CallbackRequest, secret: string, now: number): string | null {
  const id = headers["svix-id"] ?? "";
  const timestamp = headers["svix-timestamp"] ?? "";
  if (!/^[\w.-]{1,100}$/.test(id) || !/^\d{9,11}$/.test(timestamp) || !svixSecret.test(secret)) return null;
  if (Math.abs(Number(timestamp) * 1000 - now) > toleranceMs) return null;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  // There are several while a secret is being rotated; other versions than 1 are other schemes.
  const signatures = (headers["svix-signature"] ?? "").split(" ");
  return signatures.some((signature) => constantTimeEqual(signature, `v1,${expected}`)) ? id : null;
}
