// Reads chat completions and their chunks for APIs that write them in another form. They come from a provider adapter, which has checked
// that they are JSON with choices; missing and malformed fields count as absent.

import { type Fields, isObject } from "#contract/normalise.ts";
import type { FrameForm, FrameRun } from "#providers/frame-run.ts";
import { isFinish, meaningOf } from "#providers/translate/finish-reasons.ts";
import { argumentsText, fieldsIn, textOf } from "#providers/translate/json.ts";
import { outputTokens } from "#providers/translate/output-tokens.ts";
import type { ThoughtField } from "#providers/translate/thought-forms.ts";
import { signatureOf } from "#providers/translate/thought-signatures.ts";

/** Token counts as the usage objects of other APIs report them. */
export interface Counts {
  input: number;
  output: number;
  /** Input tokens read from a cache. */
  cached: number;
  /** Input tokens written to a cache. */
  cacheWrite: number;
  /** Output tokens spent on reasoning. */
  reasoning: number;
}

interface CallPiece {
  index: number;
  /** Empty except in the first piece of a call. */
  id: string;
  name: string;
  arguments: string;
  /** Gemini's signature of the thoughts that led to the call. */
  signature: string;
}

/** An image in an answer, as bytes or as a link. */
export type AnswerPicture = { mediaType: string; base64: string } | { url: string };

/** The contents of a chunk or of a whole answer. */
export interface ChatPiece {
  text: string;
  reasoning: string;
  /** The name of the field that contains the reasoning. */
  reasoningField: ThoughtField;
  /** Signed and sealed thoughts, or fragments of them. */
  details: Fields[];
  refusal: string;
  /** The log probabilities of the text's tokens, in the form that both of OpenAI's APIs use. */
  logprobs: Fields[];
  pictures: AnswerPicture[];
  calls: CallPiece[];
  /** OpenAI's finish reason, or an unknown one unchanged. Null while the answer has not ended. */
  finish: string | null;
  counts: Counts | null;
}

const count = (value: unknown): number =>
  typeof value === "number" && value >= 0 && Number.isSafeInteger(value) ? value : 0;

/** OpenAI's usage object; null if it is anything else. */
function countsOf(usage: unknown): Counts | null {
  if (!isObject(usage)) return null;
  const input = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const output = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const prompt = count(usage.prompt_tokens);
  const reasoning = count(output.reasoning_tokens);
  return {
    input: prompt,
    output: outputTokens(prompt, count(usage.completion_tokens), count(usage.total_tokens), reasoning),
    cached: count(input.cached_tokens),
    cacheWrite: count(input.cache_write_tokens) || count(input.cache_creation_tokens),
    reasoning,
  };
}

/** A text, or the texts of a list of parts. */
function contentOf(content: unknown): string {
  if (typeof content === "string") return content;
  return fieldsIn(content)
    .map(({ text }) => textOf(text))
    .join("");
}

/** The images in `images`, where OpenRouter puts them, and those among the content parts. */
function picturesOf({ images, content }: Fields): AnswerPicture[] {
  return [...fieldsIn(images), ...fieldsIn(content)].flatMap(({ image_url: image }): AnswerPicture[] => {
    const url = textOf(isObject(image) ? image.url : image);
    if (/^https?:/i.test(url)) return [{ url }];
    // Only its start is matched: the rest may be many megabytes.
    const [head, mediaType] = /^data:(image\/[\w.+-]+);base64,/i.exec(url.slice(0, 128)) ?? [];
    if (head === undefined || mediaType === undefined) return [];
    return [{ mediaType: mediaType.toLowerCase(), base64: url.slice(head.length) }];
  });
}

function callsOf(message: Fields): CallPiece[] {
  return fieldsIn(message.tool_calls).map((call, at) => {
    const called = isObject(call.function) ? call.function : {};
    return {
      index: typeof call.index === "number" ? call.index : at,
      id: textOf(call.id),
      name: textOf(called.name),
      arguments: argumentsText(called.arguments),
      signature: signatureOf(call) ?? "",
    };
  });
}

/** Reads the first choice of a chunk or of a whole answer: these APIs request only one. */
export function readChat(text: string): ChatPiece {
  const value: unknown = JSON.parse(text);
  const body = isObject(value) ? value : {};
  const [choice = {}] = fieldsIn(body.choices);
  const message = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {};
  const reasoningField = textOf(message.reasoning_content) === "" ? "reasoning" : "reasoning_content";
  return {
    text: contentOf(message.content),
    reasoning: textOf(message[reasoningField]),
    reasoningField,
    details: fieldsIn(message.reasoning_details),
    refusal: textOf(message.refusal),
    logprobs: isObject(choice.logprobs) ? fieldsIn(choice.logprobs.content) : [],
    pictures: picturesOf(message),
    calls: callsOf(message),
    finish: isFinish(choice.finish_reason) ? meaningOf(choice.finish_reason) : null,
    counts: countsOf(body.usage),
  };
}

/**
 * The contents of a run's frames. Each form is read once: a stream repeats its few hundred times, and parsing them costs a sixth of a
 * translated stream.
 */
export function readRun(run: FrameRun): ChatPiece[] {
  const { form, texts, bodies } = run;
  let frame = frames.get(form);
  if (frame === undefined) {
    frame = frameOf(form);
    frames.set(form, frame);
  }
  if (frame === null) return bodies.map((body) => readChat(form.prefix + body + form.suffix));
  const alike = frame;
  return texts.map((text) => ({
    ...alike,
    text: text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text,
  }));
}

const frames = new WeakMap<FrameForm, ChatPiece | null>();

/** A frame of the form without text; null if the text that differs is not that of the first choice. */
function frameOf({ prefix, middle, suffix }: FrameForm): ChatPiece | null {
  const [empty, letter] = ["", "x"].map((text) => readChat(prefix + text + (middle ?? "") + suffix));
  return empty?.text === "" && letter?.text === "x" ? empty : null;
}

/**
 * Assigns ids to calls: the vendor's id if every API accepts it and this answer has not used it, otherwise one derived from `stem`, which
 * is unique to the request.
 */
export function callIds(prefix: string, stem: string): (vendorId: string) => string {
  const used = new Set<string>();
  return (vendorId) => {
    const fit = /^[A-Za-z0-9_-]{8,64}$/.test(vendorId) && !used.has(vendorId);
    const id = fit ? vendorId : `${prefix}${stem}_${used.size}`;
    used.add(id);
    return id;
  };
}
