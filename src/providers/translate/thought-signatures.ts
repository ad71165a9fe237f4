// Sealed thoughts in chat completions, which clients send back: those of `reasoning_details` and `thinking_blocks`, and Google's,
// which each call of a tool has beside it in `extra_content.google.thought_signature`. Source:
// ai.google.dev/gemini-api/docs/thought-signatures

import { type Fields, isObject } from "#contract/normalise.ts";
import { isSignatureRefusal } from "#providers/anthropic/sealed-thinking.ts";
import { isSealRefusal } from "#providers/openai/responses.ts";
import type { ChatRequest, Failure, SealedReasoning } from "#providers/provider.ts";
import { append } from "./append.ts";
import { fieldsIn, parseExactly, parseJson, textOf } from "./json.ts";
import { plainThought, sealOf } from "./reasoning-details.ts";

/** The signature of a call; null if it has none. */
export function signatureOf({ extra_content: extra }: Fields): string | null {
  const google = isObject(extra) ? extra.google : null;
  const signature = isObject(google) ? google.thought_signature : null;
  return typeof signature === "string" && signature !== "" ? signature : null;
}

/** Where messages have sealed thoughts. */
const thoughtFields = ["reasoning_details", "thinking_blocks"] as const;

const nonEmpty = (seal: string) => seal !== "";

/** Where members of chat completions tell thoughts. */
const plainFields = ["reasoning_content", "reasoning"] as const;

/** What is sealed in a message, or in the delta of a chunk. */
const sealsIn = (message: Fields): string[] => [
  ...thoughtFields.flatMap((name) => fieldsIn(message[name]).map(sealOf).filter(nonEmpty)),
  ...fieldsIn(message.tool_calls).flatMap((call) => signatureOf(call) ?? []),
];

const plainIn = (message: Fields): string[] =>
  plainFields.map((name) => plainThought(textOf(message[name]))).filter(nonEmpty);

/** The fields of a message that may have seals or thoughts. */
const sealedFields = [...thoughtFields, ...plainFields, "tool_calls"] as const;

/** The seals that a request brings back, the newest last. */
function signaturesIn({ messages }: ChatRequest["body"]): string[] {
  const seals: string[] = [];
  if (!Array.isArray(messages)) return seals;
  for (const message of messages) {
    // Nearly every message is skipped here.
    if (!isObject(message) || sealedFields.every((name) => message[name] === undefined)) continue;
    append(seals, sealsIn(message));
    append(seals, plainIn(message));
  }
  return seals;
}

/** The seals in an answer, or in a chunk of a stream. */
function signaturesMade(text: string): string[] {
  const parts = choicesIn(text)
    .flatMap(({ message, delta }) => [message, delta])
    .filter(isObject);
  return [...new Set(parts.flatMap((part) => [...sealsIn(part), ...plainIn(part)]))];
}

function choicesIn(text: string): Fields[] {
  if (!text.includes('"thought_signature"') && !text.includes('"reasoning')) return [];
  const value = parseJson(text);
  return isObject(value) ? fieldsIn(value.choices) : [];
}

/** Plain thoughts of a stream are whole where its answer ends: each choice has its own. */
function madeInPieces(): (text: string) => string[] {
  const pieces = new Map<unknown, Record<string, string>>();
  return (text) => {
    const seals: string[] = [];
    for (const { index, delta } of choicesIn(text)) {
      if (!isObject(delta)) continue;
      append(seals, sealsIn(delta));
      const whole = pieces.get(index) ?? {};
      pieces.set(index, whole);
      for (const name of plainFields) whole[name] = (whole[name] ?? "") + textOf(delta[name]);
    }
    if (pieces.size === 0 || !/"finish_reason":\s?"[^"]/.test(text)) return seals;
    const plain = [...pieces.values()].flatMap(plainIn);
    pieces.clear();
    return [...new Set([...seals, ...plain])];
  };
}

/** The messages of a request as JSON, with no seal of `foreign`; null if it has none of them. */
export function withoutSignatures(text: string, foreign: ReadonlySet<string>): string | null {
  const body = parseExactly(text);
  if (!isObject(body) || !Array.isArray(body.messages)) return null;
  let found = false;
  const messages = body.messages.map((message: unknown) => {
    if (!isObject(message)) return message;
    if (![...sealsIn(message), ...plainIn(message)].some((seal) => foreign.has(seal))) return message;
    found = true;
    return withoutSeals(message, foreign);
  });
  return found ? JSON.stringify(messages) : null;
}

/** Thoughts go with their seal: without it they are no thoughts of the member's. */
function withoutSeals(message: Fields, foreign: ReadonlySet<string>): Fields {
  const kept: Record<string, unknown> = { ...message };
  for (const name of plainFields) if (foreign.has(plainThought(textOf(kept[name])))) delete kept[name];
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

/** A vendor that does not know the fields at all names them as the parameter, or in its sentence. */
const fieldNamed =
  /(^|[.[\]])(reasoning_details|thinking_blocks|extra_content)($|[.[])|[.\]](reasoning_content|reasoning)($|[.[])/;
const fieldRefused =
  /^.{0,80}\b(property|parameter|field|argument|inputs?)\b.{0,40}\b(reasoning_content|reasoning_details|thinking_blocks|extra_content)\b/i;

const isFieldRefusal = ({ kind, error }: Failure) =>
  (kind === "invalid_request" || kind === "unsupported") && fieldRefused.test(error.message);

const isRefusal = (failure: Failure) =>
  isFieldRefusal(failure) ||
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
  madeInPieces,
  isRefusal,
};
