// Sealed thoughts in chat completions, which clients send back: those of `reasoning_details` and `thinking_blocks`, and Google's,
// which each call of a tool has beside it in `extra_content.google.thought_signature`. Source:
// ai.google.dev/gemini-api/docs/thought-signatures

import { type Fields, isObject } from "#contract/normalise.ts";
import { isSignatureRefusal } from "#providers/anthropic/sealed-thinking.ts";
import { isSealRefusal } from "#providers/openai/responses.ts";
import type { ChatRequest, Failure, SealedReasoning } from "#providers/provider.ts";
import { fieldsIn, parseExactly, parseJson } from "./json.ts";
import { sealOf } from "./reasoning-details.ts";

/** The signature of a call; null: it has none. */
export function signatureOf({ extra_content: extra }: Fields): string | null {
  const google = isObject(extra) ? extra.google : null;
  const signature = isObject(google) ? google.thought_signature : null;
  return typeof signature === "string" && signature !== "" ? signature : null;
}

/** Where messages have sealed thoughts. */
const thoughtFields = ["reasoning_details", "thinking_blocks"] as const;

const nonEmpty = (seal: string) => seal !== "";

/** What is sealed in a message, or in the delta of a chunk. */
const sealsIn = (message: Fields): string[] => [
  ...thoughtFields.flatMap((name) => fieldsIn(message[name]).map(sealOf).filter(nonEmpty)),
  ...fieldsIn(message.tool_calls).flatMap((call) => signatureOf(call) ?? []),
];

/** The seals that a request brings back, the newest last. */
const signaturesIn = ({ messages }: ChatRequest["body"]): string[] => fieldsIn(messages).flatMap(sealsIn);

/** The seals in an answer, or in a chunk of a stream. */
function signaturesMade(text: string): string[] {
  if (!text.includes('"thought_signature"') && !text.includes('"reasoning_details"')) return [];
  const value = parseJson(text);
  const choices = isObject(value) ? fieldsIn(value.choices) : [];
  const parts = choices.flatMap(({ message, delta }) => [message, delta]).filter(isObject);
  return [...new Set(parts.flatMap(sealsIn))];
}

/** The messages of a request as JSON, with no seal of `foreign`; null: it has none of them. */
export function withoutSignatures(text: string, foreign: ReadonlySet<string>): string | null {
  const body = parseExactly(text);
  if (!isObject(body) || !Array.isArray(body.messages)) return null;
  let found = false;
  const messages = body.messages.map((message: unknown) => {
    if (!isObject(message) || !sealsIn(message).some((seal) => foreign.has(seal))) return message;
    found = true;
    return withoutSeals(message, foreign);
  });
  return found ? JSON.stringify(messages) : null;
}

/** Thoughts go with their seal: without it they are no thoughts of the member's. */
function withoutSeals(message: Fields, foreign: ReadonlySet<string>): Fields {
  const kept: Record<string, unknown> = { ...message };
  for (const name of thoughtFields) {
    if (!Array.isArray(kept[name])) continue;
    const details = kept[name].filter((detail) => !isObject(detail) || !foreign.has(sealOf(detail)));
    if (details.length > 0) kept[name] = details;
    else delete kept[name];
  }
  if (Array.isArray(kept.tool_calls))
    kept.tool_calls = kept.tool_calls.map((call: unknown) => {
      if (!isObject(call) || !foreign.has(signatureOf(call) ?? "")) return call;
      const { extra_content: _extra, ...rest } = call;
      return rest;
    });
  return kept;
}

/** How Google's messages begin, at its own API, at Vertex AI and at its OpenAI-compatible API. There is no code for it. */
const refusal =
  /^(unable to submit request because )?(corrupted thought signature|(invalid|malformed) thought signature|thought signature is (not valid|invalid))/i;

/** A vendor that does not know the fields at all names them as the parameter. */
const fieldNamed = /(^|[.[\]])(reasoning_details|thinking_blocks)($|[.[])/;

const isRefusal = (failure: Failure) =>
  fieldNamed.test(failure.error.param ?? "") ||
  isSealRefusal(failure) ||
  isSignatureRefusal(failure) ||
  (failure.kind === "invalid_request" && failure.status === 400 && refusal.test(failure.error.message));

/** Sealed thoughts in chat completions. */
export const thoughtSignatures: SealedReasoning = {
  sharedBy: null,
  field: "messages",
  in: signaturesIn,
  made: signaturesMade,
  isRefusal,
};
