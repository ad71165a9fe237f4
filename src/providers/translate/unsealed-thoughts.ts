// Thoughts that their vendor did not seal, and still wants back: `reasoning_content` or `reasoning` of chat completions,
// Google's signatures of calls at its OpenAI-compatible address, and thoughts without a signature of endpoints that are shaped
// like Anthropic's. Answers carry them as details with the name of their maker. The maker gets them back in its own form, and
// no other member gets them. Sources: api-docs.deepseek.com/guides/thinking_mode, platform.moonshot.ai (thinking models),
// ai.google.dev/gemini-api/docs/thought-signatures

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, parseExactly, textOf } from "./json.ts";
import { geminiFormat, sealedDetail } from "./reasoning-details.ts";
import type { ThoughtField, ThoughtFiller, ThoughtForm } from "./thought-forms.ts";
import { signatureOf } from "./thought-signatures.ts";

const unsealedFormat = "trunkline-unsealed-v1";

/** What a detail of thoughts that no one sealed has beside its text. */
export const makerFields = (maker: string, field: ThoughtField = "reasoning_content"): Fields => ({
  format: unsealedFormat,
  maker,
  field,
});

/** Thoughts that `maker` told in a field of its message. */
export const unsealedThought = (text: string, field: ThoughtField, maker: string): Fields => ({
  type: "reasoning.text",
  text,
  ...makerFields(maker, field),
});

const callPlace = /^tool_calls\.(\d{1,5})$/;

/** Google's signature of the call with that number in the answer. */
export const callSignature = (call: number, signature: string, maker: string): Fields => ({
  ...sealedDetail(0, signature, geminiFormat),
  id: `tool_calls.${call}`,
  maker,
});

/** Whether the detail names its maker, who alone gets it. */
export const hasMaker = ({ maker }: Fields): boolean => typeof maker === "string";

/** Whether it holds thoughts that no one sealed. */
export const isUnsealed = (detail: Fields): boolean => detail.format === unsealedFormat && hasMaker(detail);

/** Who is asked. */
interface Recipient {
  maker: string;
  form: ThoughtForm;
  /** Null: the member has not refused a conversation without thoughts. */
  filler: ThoughtFiller | null;
}

/** Whether the text of a request has thoughts with a maker. */
export const hasMakers = (text: string): boolean => text.includes(`"maker":`);

/**
 * The messages of a request for one member as JSON, or null if they are right as they are. `isLess`: thoughts of other makers were
 * left out.
 */
export function messagesFor(text: string, to: Recipient): { messages: string; isLess: boolean } | null {
  const body = parseExactly(text);
  if (!isObject(body) || !Array.isArray(body.messages)) return null;
  let isLess = false;
  const messages = body.messages.map((message: unknown) => {
    if (!isObject(message) || message.role !== "assistant") return message;
    const details = fieldsIn(message.reasoning_details);
    const own = details.filter(hasMaker);
    isLess ||= own.some(({ maker }) => maker !== to.maker);
    const returned = own.length === 0 ? message : withReturned(message, details, to);
    return to.filler === null ? returned : filled(returned, to.filler, to);
  });
  return { messages: JSON.stringify(messages), isLess };
}

function withReturned(message: Fields, details: readonly Fields[], { maker, form }: Recipient): Fields {
  const { reasoning_details: _all, ...rest } = message;
  const kept: Fields[] = details.filter((detail) => !hasMaker(detail));
  const written: Record<string, unknown> = rest;
  for (const detail of details.filter((one) => one.maker === maker)) {
    const [, call] = callPlace.exec(textOf(detail.id)) ?? [];
    if (call !== undefined) sign(written, Number(call), textOf(detail.data));
    else if (form === "blocks") kept.push(detail);
    else if (form === "fields") {
      const field = detail.field === "reasoning" ? "reasoning" : "reasoning_content";
      written[field] = textOf(written[field]) + textOf(detail.text);
    }
  }
  return kept.length === 0 ? written : { ...written, reasoning_details: kept };
}

/** Puts a signature beside the call of that number. */
function sign(message: Record<string, unknown>, at: number, signature: string): void {
  if (!Array.isArray(message.tool_calls)) return;
  const call: unknown = message.tool_calls[at];
  if (!isObject(call) || signatureOf(call) !== null) return;
  const signed = { ...call, extra_content: { google: { thought_signature: signature } } };
  message.tool_calls = message.tool_calls.with(at, signed);
}

/** Google's marker for unsigned calls: made by another model, or with a lost signature. */
export const skipSignature = "skip_thought_signature_validator";

/** DeepSeek and Kimi take any text but an empty one. */
const noThoughts = " ";

/** The message with what the member takes where thoughts are missing. */
function filled(message: Fields, filler: ThoughtFiller, { form, maker }: Recipient): Fields {
  const written: Record<string, unknown> = { ...message };
  if (filler === "signature") sign(written, 0, skipSignature);
  else if (form === "fields") {
    const { reasoning_content: content, reasoning } = written;
    if (textOf(content) === "" && textOf(reasoning) === "") written.reasoning_content = noThoughts;
  } else if (form === "blocks") {
    const details = fieldsIn(written.reasoning_details);
    if (details.length === 0)
      written.reasoning_details = [unsealedThought(noThoughts, "reasoning_content", maker)];
  }
  return written;
}

/** How vendors, and gateways in front of them, say that a conversation lacks thoughts. There is no code for it. */
const refusals: readonly [pattern: RegExp, filler: ThoughtFiller][] = [
  [
    /^.{0,80}\breasoning_content\b.{0,60}\b(must be (passed|provided|included|present)|is (missing|required))/i,
    "text",
  ],
  [/^.{0,80}\bmissing .{0,20}\breasoning_content\b/i, "text"],
  [/^.{0,80}\bmissing (a |the )?.?thought_?signature\b/i, "signature"],
];

/** What a member takes in place of the thoughts that it misses, by its error message. Null if it misses none. */
export function fillerFor(message: string): ThoughtFiller | null {
  return refusals.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
