// Callbacks with an HMAC of their contents in a header, made with a secret that the vendor shares.

import { createHmac } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { type Coverage, forbidden, notConfigured, type Proof, type Secret } from "./proof.ts";

interface Hmac<Settings> {
  secret: Secret<Settings>;
  /** The secret's name in a refusal. */
  named: string;
  hash: "sha256" | "sha512";
  encoding: "hex" | "base64";
  header: string;
  /** Whether the signed parts are method, URL and body, or only the body. */
  covers: Coverage;
  /** What is signed; null if a part of it is missing. */
  of(callback: CallbackRequest): readonly (string | Buffer)[] | null;
  /** The header with the time of signing, in seconds, if it is one of the parts. */
  timeHeader?: string;
}

/** How far a vendor's clock and ours may differ. */
const toleranceMs = 5 * 60_000;

/** Verifies callbacks by an HMAC that the vendor sends in a header. */
export function hmac<Settings>({
  secret,
  named,
  hash,
  encoding,
  header,
  covers,
  of,
  timeHeader,
}: Hmac<Settings>): Proof<Settings> {
  return (callback, settings, { clock }) => {
    const key = secret(settings) ?? "";
    if (key === "") return notConfigured(named);
    const signature = callback.headers[header];
    const parts = of(callback);
    if (signature === undefined || parts === null) return forbidden(`The ${header} header is missing.`);
    const expected = createHmac(hash, key);
    for (const part of parts) expected.update(part);
    const sent = encoding === "hex" ? signature.toLowerCase() : signature;
    if (!constantTimeEqual(sent, expected.digest(encoding))) return forbidden(`The ${header} does not fit.`);
    if (timeHeader === undefined) return { kind: "proved", covers };
    return isRecent(callback.headers[timeHeader], clock.now())
      ? { kind: "proved", covers }
      : forbidden("The signature is too old.");
  };
}

/** `seconds`: since the epoch. */
export function isRecent(seconds: string | undefined, now: number): boolean {
  return (
    seconds !== undefined &&
    /^\d{9,11}$/.test(seconds) &&
    Math.abs(Number(seconds) * 1000 - now) <= toleranceMs
  );
}
