// Verifies a webhook (Standard Webhooks: https://www.standardwebhooks.com) and reads the event in it.

import type { WebhookEvent } from "./types.ts";

/** Headers of a request: a `Headers`, or Node's `request.headers`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the time of the post may be from now, in seconds; by default 300. */
  toleranceS?: number | undefined;
  /** Now, in epoch milliseconds, for tests. */
  now?: number | undefined;
}

/** An event with its id, which is the same for every attempt: store the ids that you have processed, and drop repetitions. */
export type VerifiedEvent = WebhookEvent & { id: string };

/** The post is not from Trunkline, or is too old. Answer 401 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly reason: "headers" | "timestamp" | "signature" | "body";

  constructor(reason: WebhookVerificationError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** More than a rotation needs, so that a long header costs nothing. */
const maxSignatures = 10;
const utf8 = new TextEncoder();

/**
 * The event of a genuine post. Rejects with a `WebhookVerificationError` for any other, and with a `TypeError` for an invalid secret or
 * body. `secrets`: those of one or several endpoints, one of which has to match. `body`: the bytes as received, before any parsing.
 */
export async function verifyWebhook(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  { toleranceS = 300, now = Date.now() }: VerifyOptions = {},
): Promise<VerifiedEvent> {
  const keys = (typeof secrets === "string" ? [secrets] : secrets).map(keyOf);
  if (keys.length === 0) throw new TypeError("There is no secret to verify with.");
  const bytes = bytesOf(body);
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (id === "" || timestamp === "" || signatures === "")
    throw new WebhookVerificationError("headers", "The webhook headers are missing.");
  // Written so that a value that is not a number fails too.
  if (!/^\d{1,12}$/.test(timestamp) || !(Math.abs(now / 1000 - Number(timestamp)) <= toleranceS))
    throw new WebhookVerificationError("timestamp", "The webhook was not signed just now.");
  const signed = joined(utf8.encode(`${id}.${timestamp}.`), bytes);
  if (!(await isSigned(keys, signatures.split(" ", maxSignatures), signed)))
    throw new WebhookVerificationError("signature", "No signature of the webhook fits.");
  return { ...eventOf(bytes), id };
}

async function isSigned(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const raw of keys) {
    const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
    for (const signature of signatures) {
      const value = signature.startsWith("v1,") ? decoded(signature.slice(3)) : null;
      // `verify` compares in constant time.
      if (value !== null && (await crypto.subtle.verify("HMAC", key, value, signed))) return true;
    }
  }
  return false;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = decoded(secret.startsWith("whsec_") ? secret.slice("whsec_".length) : secret);
  if (key === null || key.length === 0) throw new TypeError("A secret is not of the form whsec_….");
  return key;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === "string") return utf8.encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError("The body has to be what came: bytes or a text, not what was parsed from it.");
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Empty if the header is missing or repeated. */
function headerOf(headers: WebhookHeaders, name: string): string {
  if (isHeaders(headers)) return headers.get(name) ?? "";
  const values = Object.entries(headers)
    .filter(([each]) => each.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? (values[0] ?? "") : "";
}

const isHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === "function";

function eventOf(bytes: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof event === "object" && event !== null && "type" in event && typeof event.type === "string")
      return event as WebhookEvent;
  } catch {
    // Signed, but not JSON: said below.
  }
  throw new WebhookVerificationError("body", "The webhook holds no event.");
}
