// Google's thought signatures in chat completions: each call of a tool has the sealed thoughts behind it beside it, in
// `extra_content.google.thought_signature`, and the client sends them back. Source: ai.google.dev/gemini-api/docs/thought-signatures

import { type Fields, isObject } from "#contract/normalise.ts";
import type { ChatRequest, Failure, SealedReasoning } from "#providers/provider.ts";
import { fieldsIn, parseExactly, parseJson } from "./json.ts";

/** The signature of a call; null: it has none. */
export function signatureOf({ extra_content: extra }: Fields): string | null {
  const google = isObject(extra) ? extra.google : null;
  const signature = isObject(google) ? google.thought_signature : null;
  return typeof signature === "string" && signature !== "" ? signature : null;
}

/** The signatures that a request brings back, the newest last. */
function signaturesIn({ messages }: ChatRequest["body"]): string[] {
  return fieldsIn(messages).flatMap(({ tool_calls: calls }) =>
    fieldsIn(calls).flatMap((call) => signatureOf(call) ?? []),
  );
}

/** The signatures in an answer, or in a chunk of a stream. */
function signaturesMade(text: string): string[] {
  if (!text.includes('"thought_signature"')) return [];
  const value = parseJson(text);
  const choices = isObject(value) ? fieldsIn(value.choices) : [];
  return choices.flatMap(({ message, delta }) =>
    [message, delta].flatMap((part) =>
      isObject(part) ? fieldsIn(part.tool_calls).flatMap((call) => signatureOf(call) ?? []) : [],
    ),
  );
}

/** The messages of a request as JSON, with no signature of `foreign`; null: it has none of them. */
export function withoutSignatures(text: string, foreign: ReadonlySet<string>): string | null {
  const body = parseExactly(text);
  if (!isObject(body) || !Array.isArray(body.messages)) return null;
  let found = false;
  const messages = body.messages.map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message.tool_calls)) return message;
    const calls = message.tool_calls.map((call: unknown) => {
      if (!isObject(call) || !foreign.has(signatureOf(call) ?? "")) return call;
      found = true;
      const { extra_content: _extra, ...rest } = call;
      return rest;
    });
    return { ...message, tool_calls: calls };
  });
  return found ? JSON.stringify(messages) : null;
}

/** How Google's messages begin, at its own API, at Vertex AI and at its OpenAI-compatible API. There is no code for it. */
const refusal =
  /^(unable to submit request because )?(corrupted thought signature|(invalid|malformed) thought signature|thought signature is (not valid|invalid))/i;

const isRefusal = ({ kind, status, error }: Failure) =>
  kind === "invalid_request" && status === 400 && refusal.test(error.message);

/** Sealed thoughts in chat completions. */
export const thoughtSignatures: SealedReasoning = {
  sharedBy: null,
  field: "messages",
  in: signaturesIn,
  made: signaturesMade,
  isRefusal,
};
