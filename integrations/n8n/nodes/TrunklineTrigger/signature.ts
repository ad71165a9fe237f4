// The signature of a post (Standard Webhooks): it is from Trunkline, unchanged and new.

import { createHmac, timingSafeEqual } from "node:crypto";

/** How far the time of a post may be from now. */
const toleranceS = 300;
/** More than the change of a secret needs, so that a long header costs nothing. */
const maxSignatures = 10;

type Headers = Record<string, string | string[] | undefined>;

/**
 * The id of a genuine post, which is the same for every attempt of an event; null for any other. `secret`: `whsec_…`; `body`: the bytes as
 * received; `now`: epoch milliseconds.
 */
export function genuineId(secret: string, headers: Headers, body: Buffer, now: number): string | null {
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures } = headers;
  if (typeof id !== "string" || typeof at !== "string" || typeof signatures !== "string") return null;
  if (!/^\d{1,12}$/.test(at) || Math.abs(now / 1000 - Number(at)) > toleranceS) return null;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  // Everyone knows the signatures of an empty key.
  if (id === "" || key.length === 0) return null;
  const mac = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64");
  const own = Buffer.from(`v1,${mac}`);
  const fits = (each: Buffer) => each.length === own.length && timingSafeEqual(each, own);
  return signatures
    .split(" ", maxSignatures)
    .map((each) => Buffer.from(each))
    .some(fits)
    ? id
    : null;
}
