// Estimates tokens that no vendor has counted: before a call, to reserve them from the key's limit, and after it, if the vendor reported no
// usage. Text counts by length; an image, a page or a second of sound counts a fixed number, because the length of its base64 says nothing
// about its tokens. It walks parsed values and does not read the contents of strings, so a 20 MB image costs no more than its URL.

import { type CallKind, isForwarded } from "#contract/ai/operations.ts";
import { isObject } from "#contract/normalise.ts";
import { outputUnits } from "#providers/openai/stream.ts";

/** UTF-16 units of text per token: the vendors' rule of thumb for English. */
export const unitsPerToken = 4;
/** Tokens that a vendor's template adds to each message (OpenAI's cookbook on counting with tiktoken). */
const tokensPerMessage = 3;
/** Estimate for an answer whose request sets no limit. */
const defaultAnswerTokens = 256;
/** Maximum number of tokens to reserve for answers, however many the request allows. */
const maxAnswerTokens = 1_000_000;

/**
 * Flat numbers of tokens, from the vendors' pages on counting.
 * - An image: OpenAI counts 85 for `detail: "low"` and 765 for 1024 x 1024 pixels, Anthropic width x height / 750
 *   with about 1,600 for what it does not scale down, Gemini 258 for each tile of 768 pixels. The largest is
 *   taken: what was reserved too much is given back when the call ends.
 * - Sound and video: Gemini counts 32 and 263 a second.
 * - A page of a PDF: Anthropic counts 1,500 to 3,000, Gemini 258.
 */
const flatTokens = { lowImage: 85, image: 1_600, soundSecond: 32, videoSecond: 263, page: 1_500 } as const;

/** Typical bytes of a second or a page: the real number is unknown without decoding. */
const typicalBytes = {
  /** 16 bits, one channel, 24 kHz. */
  wavSecond: 48_000,
  /** 128 kbit/s. */
  soundSecond: 16_000,
  /** 2 Mbit/s. */
  videoSecond: 250_000,
  page: 100_000,
} as const;
/** An hour; as many pages as Anthropic accepts. */
const maxSeconds = 3_600;
const maxPages = 100;
/** For a video or a document that is given only by URL. */
const defaultSeconds = 10;
const defaultPages = 5;

interface Sum {
  units: number;
  tokens: number;
}

/** Input tokens of a request. `body`: that of a completion, or of embeddings, whose token lists are counted exactly. */
export function promptTokens(kind: CallKind, body: Readonly<Record<string, unknown>>): number {
  const sum: Sum = { units: 0, tokens: 0 };
  if (kind === "embeddings") addInput(sum, body.input);
  else if (isForwarded(kind)) {
    const { model: _, ...fields } = body;
    for (const value of Object.values(fields)) addText(sum, value);
  } else {
    const { messages } = body;
    if (Array.isArray(messages)) for (const message of messages) addMessage(sum, message);
    if (body.tools !== undefined) addText(sum, body.tools);
    if (body.functions !== undefined) addText(sum, body.functions);
    if (body.response_format !== undefined) addText(sum, body.response_format);
  }
  return sum.tokens + Math.ceil(sum.units / unitsPerToken);
}

/** Tokens to reserve for a call: its prompt and the limit of each answer. */
export function reservedTokens(
  kind: CallKind,
  body: Readonly<Record<string, unknown>>,
  prompt: number,
): number {
  if (kind !== "chat") return prompt;
  const bound = isBound(body.max_completion_tokens) ? body.max_completion_tokens : body.max_tokens;
  const perAnswer = isBound(bound) ? Math.min(Math.ceil(bound), maxAnswerTokens) : defaultAnswerTokens;
  const { n } = body;
  const answers = isBound(n) && n >= 1 ? Math.floor(n) : 1;
  return prompt + Math.min(perAnswer * answers, maxAnswerTokens);
}

const isBound = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

/** Tokens of a whole answer (OpenAI's JSON text), from its messages. Other answers have no completion tokens. */
export function answerTokens(kind: CallKind, text: string): number {
  if (kind !== "chat") return 0;
  const sum: Sum = { units: 0, tokens: 0 };
  const answer: unknown = JSON.parse(text);
  const choices = isObject(answer) && Array.isArray(answer.choices) ? answer.choices : [];
  for (const choice of choices)
    if (isObject(choice)) sum.units += outputUnits(choice.message ?? { content: choice.text });
  return Math.ceil(sum.units / unitsPerToken);
}

function addMessage(sum: Sum, message: unknown): void {
  sum.tokens += tokensPerMessage;
  if (!isObject(message)) return;
  for (const key in message) {
    const value = message[key];
    if (key === "role") continue;
    if (typeof value === "string") sum.units += value.length;
    else if (key === "content") addParts(sum, value);
    else addText(sum, value);
  }
}

function addParts(sum: Sum, content: unknown): void {
  for (const part of Array.isArray(content) ? content : [content]) {
    if (typeof part === "string") sum.units += part.length;
    else addPart(sum, part);
  }
}

/** The size of a message part by its type, in the spelling of OpenAI's two APIs and of vendors that extend them. */
function addPart(sum: Sum, part: unknown): void {
  if (!isObject(part)) return;
  switch (part.type) {
    case "text":
      if (typeof part.text === "string") sum.units += part.text.length;
      return;
    case "image_url":
    case "image":
    case "input_image": {
      const { image_url: image } = part;
      const detail = isObject(image) ? image.detail : part.detail;
      sum.tokens += detail === "low" ? flatTokens.lowImage : flatTokens.image;
      return;
    }
    case "input_audio":
    case "audio_url":
    case "audio": {
      const audio = part.input_audio ?? part.audio_url ?? part.audio;
      const format = isObject(audio) ? audio.format : null;
      const second =
        format === "wav" || format === "pcm16" ? typicalBytes.wavSecond : typicalBytes.soundSecond;
      const seconds = unitsIn(longestString(audio), second, maxSeconds);
      sum.tokens += flatTokens.soundSecond * (seconds ?? defaultSeconds);
      return;
    }
    case "video_url":
    case "video":
    case "input_video": {
      const video = part.video_url ?? part.video ?? part.input_video;
      const seconds = unitsIn(longestString(video), typicalBytes.videoSecond, maxSeconds);
      sum.tokens += flatTokens.videoSecond * (seconds ?? defaultSeconds);
      return;
    }
    case "file":
    case "input_file":
    case "document":
      addFile(sum, longestString(part.file ?? part.source ?? part));
      return;
    default:
      addText(sum, part);
  }
}

function addFile(sum: Sum, data: string): void {
  // Text files are read as text.
  if (data.startsWith("data:text/")) sum.units += bytesOf(data);
  else sum.tokens += flatTokens.page * (unitsIn(data, typicalBytes.page, maxPages) ?? defaultPages);
}

/** The number of units of `unitBytes` in a base64 string, at least one; null if it is too short to be data. */
function unitsIn(data: string, unitBytes: number, max: number): number | null {
  if (data.length < 1_000) return null;
  return Math.min(max, Math.max(1, Math.ceil(bytesOf(data) / unitBytes)));
}

const bytesOf = (base64: string) => Math.floor((base64.length * 3) / 4);

/** The longest string in an object, or the string itself: the data of a part, as opposed to names and formats. */
function longestString(value: unknown): string {
  if (typeof value === "string") return value;
  let longest = "";
  if (isObject(value))
    for (const key in value) {
      const text = value[key];
      if (typeof text === "string" && text.length > longest.length) longest = text;
    }
  return longest;
}

/** Text has a space, a line break or a non-ASCII letter within this many units; base64 has none. */
const sampleUnits = 1_000;
const encoded = /^(data:[\w.+/-]+;base64,)?[A-Za-z0-9+/=_-]+$/;
const isEncoded = (text: string) => text.length > 4 * sampleUnits && encoded.test(text.slice(0, sampleUnits));

/** All text below a value, keys included. Media in an unknown place counts as an image. */
function addText(sum: Sum, value: unknown): void {
  if (typeof value === "string") {
    if (isEncoded(value)) sum.tokens += flatTokens.image;
    else sum.units += value.length;
  } else if (Array.isArray(value)) for (const item of value) addText(sum, item);
  else if (typeof value === "object" && value !== null) {
    const record = value as Record<string, unknown>;
    for (const key in record) {
      sum.units += key.length;
      addText(sum, record[key]);
    }
  } else sum.units += 1;
}

/** An embedding's input: a text, a list of texts, a list of tokens, a list of such lists, or a vendor's parts. */
function addInput(sum: Sum, input: unknown): void {
  if (typeof input === "string") sum.tokens += Math.ceil(input.length / unitsPerToken);
  else if (!Array.isArray(input)) addPart(sum, input);
  else if (typeof input[0] === "number") sum.tokens += input.length;
  else for (const item of input) addInput(sum, item);
}
