// The `Idempotency-Key` header of sends: a request that comes again under its key is answered with the first result.

import type { IncomingMessage } from "node:http";
import type { Issue } from "#contract/issue.ts";
import { sentences } from "#contract/wording.ts";

const name = "Idempotency-Key";
const maxLength = 255;

/** For the documentation of an endpoint that takes it. */
export const idempotencyHeader = {
  [name]:
    "Names this request, 1 to 255 characters. The same request again within 24 hours is answered with the first result (`Idempotent-Replayed: true`) and sends nothing new.",
} as const;

/** The key; null without one; an issue when it is empty or too long. */
export function idempotencyKey(request: IncomingMessage): string | Issue | null {
  const given = request.headers["idempotency-key"];
  if (given === undefined) return null;
  const key = Array.isArray(given) ? given.join(", ") : given;
  if (key === "") return { path: [name], message: sentences.required([name]) };
  return key.length > maxLength
    ? { path: [name], message: sentences.atMostCharacters([name], maxLength) }
    : key;
}
