// The `Idempotency-Key` header of sends and of completions: the answer to a repeated request is the answer to the first one.

import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { sentences } from "#contract/wording.ts";

const name = "Idempotency-Key";
const maxLength = 255;

/** The header's schema, for the head of an endpoint. */
export const idempotencyHeader = {
  [name]: z
    .string()
    .min(1)
    .max(maxLength)
    .optional()
    .describe(
      "A text that identifies the request. The same request with the same key within 24 hours gets the first answer (`Idempotent-Replayed: true`), and nothing is done twice.",
    ),
};

/** The key; null if there is none; an issue if it is empty or too long. */
export function idempotencyKey(request: IncomingMessage): string | Issue | null {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return null;
  const key = Array.isArray(header) ? header.join(", ") : header;
  if (key === "") return { path: [name], message: sentences.required([name]) };
  return key.length > maxLength
    ? { path: [name], message: sentences.atMostCharacters([name], maxLength) }
    : key;
}
