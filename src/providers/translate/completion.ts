// Writes OpenAI's chunks for adapters that translate another format. All chunks of an answer share one id and one
// model; output is marked as such, so that failover does not commit to an empty answer.

import { type Fields, isObject } from "#contract/normalise.ts";
import { outputUnits } from "#providers/openai/stream.ts";
import type { ChatRequest, Chunk, Usage } from "#providers/provider.ts";

/** `created`: 0 if the vendor does not report it; the gateway then uses its own clock. `id`: empty if not reported. */
export interface CompletionHead {
  id: string;
  created: number;
  model: string;
}

/** Token counts with details; null if the vendor does not report them separately. */
export interface TokenCounts {
  promptTokens: number;
  completionTokens: number;
  /** Prompt tokens read from a cache. */
  cachedTokens: number | null;
  /** Prompt tokens written to a cache; absent if the vendor does not bill them separately. */
  cacheWriteTokens?: number | null;
  /** Written tokens that are cached for an hour. */
  cacheWriteHourTokens?: number | null;
  reasoningTokens: number | null;
}

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
  /** Next to the call, as in Google's OpenAI-compatible API. */
  extraContent?: object;
}

/** An image in an answer, as bytes. */
export interface Picture {
  mediaType: string;
  base64: string;
}

/** Finish reasons of answers that may be empty: reasoning used all tokens, or the content was withheld. */
const mayBeEmpty: readonly string[] = ["length", "content_filter"];

export function usageOf({
  promptTokens,
  completionTokens,
  cachedTokens,
  cacheWriteTokens,
  cacheWriteHourTokens,
}: TokenCounts): Usage {
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...(cachedTokens ? { cachedTokens } : {}),
    ...(cacheWriteTokens ? { cacheWriteTokens } : {}),
    ...(cacheWriteHourTokens ? { cacheWriteHourTokens } : {}),
  };
}

function usageJson(counted: TokenCounts): object {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens = null, reasoningTokens } = counted;
  const details = {
    ...(cachedTokens === null ? {} : { cached_tokens: cachedTokens }),
    // OpenRouter's name.
    ...(cacheWriteTokens === null ? {} : { cache_write_tokens: cacheWriteTokens }),
  };
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(Object.keys(details).length === 0 ? {} : { prompt_tokens_details: details }),
    ...(reasoningTokens === null ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/** An image in the form of OpenRouter and LiteLLM; `index` distinguishes the images of one choice. */
const pictureJson = ({ mediaType, base64 }: Picture, index: number): object => ({
  type: "image_url",
  image_url: { url: `data:${mediaType};base64,${base64}` },
  index,
});

/** A part of a tool call: the first chunk has id and name, later ones only arguments. */
interface CallDelta {
  index: number;
  id?: string;
  name?: string;
  arguments: string;
  extraContent?: object;
}

interface Delta {
  content?: string;
  reasoning_content?: string;
  refusal?: string;
  /** A complete image, and its number in the choice. */
  image?: Picture & { index: number };
  call?: CallDelta;
  /** Pieces of signed or sealed thoughts, and the blocks that they complete. They are not output. */
  details?: readonly Fields[];
  blocks?: readonly Fields[];
}

/** Writes the chunks of one stream. */
export interface ChunkWriter {
  role(index: number): Chunk;
  delta(index: number, delta: Delta, logprobs?: object | null): Chunk;
  finish(index: number, reason: string): Chunk;
  usage(counted: TokenCounts): Chunk;
}

/** Whether the caller requested usage. OpenAI then writes `usage: null` in every chunk before the one that has it. */
export const asksUsage = ({ stream_options: options }: ChatRequest["body"]): boolean =>
  isObject(options) && options.include_usage === true;

function isContentAlone(delta: Delta): delta is { content: string } {
  for (const field in delta) if (field !== "content") return false;
  return delta.content !== undefined;
}

const emptyContent = '{"content":""}';

/** `print`: writes the text of each chunk. */
export function chunkWriter(
  { id, created, model }: CompletionHead,
  { body }: Pick<ChatRequest, "body">,
  print: (chunk: Fields) => string = JSON.stringify,
): ChunkWriter {
  const early = asksUsage(body) ? { usage: null } : {};
  const write = (choices: object[], more: Partial<Omit<Chunk, "kind" | "text">>, usage?: object): Chunk => ({
    kind: "chunk",
    text: print({
      id,
      object: "chat.completion.chunk",
      created,
      model,
      choices,
      ...(usage === undefined ? early : { usage }),
    }),
    output: false,
    finish: false,
    usage: null,
    usageOnly: false,
    units: 0,
    ...more,
  });
  const choice = (index: number, delta: object, reason: string | null, logprobs?: object | null) => [
    { index, delta, logprobs: logprobs ?? null, finish_reason: reason },
  ];
  /** What precedes and follows the text in the chunks of a choice that have nothing else. */
  const frames = new Map<number, readonly [string, string]>();
  /** As `write` prints it, with a quarter of the work: most chunks of a stream are of this kind. */
  const content = (index: number, text: string): Chunk => {
    let frame = frames.get(index);
    if (frame === undefined) {
      const [start = "", end = ""] = write(choice(index, { content: "" }, null), {}).text.split(emptyContent);
      frame = [start + emptyContent.slice(0, -3), `}${end}`];
      frames.set(index, frame);
    }
    const [start, end] = frame;
    return {
      kind: "chunk",
      text: start + JSON.stringify(text) + end,
      output: text !== "",
      finish: false,
      usage: null,
      usageOnly: false,
      units: text.length,
    };
  };
  return {
    role: (index) => write(choice(index, { role: "assistant", content: "" }, null), {}),
    delta: (index, written, logprobs) => {
      if (print === JSON.stringify && !logprobs && isContentAlone(written))
        return content(index, written.content);
      const { call, image, details = [], blocks = [], ...texts } = written;
      const delta: Record<string, unknown> = texts;
      const output =
        call !== undefined || image !== undefined || Object.values(texts).some((text) => text !== "");
      // Assigned one by one, which is faster than spreading: this runs for each chunk of a stream.
      if (details.length > 0) delta.reasoning_details = details;
      if (blocks.length > 0) delta.thinking_blocks = blocks;
      if (image !== undefined) delta.images = [pictureJson(image, image.index)];
      if (call !== undefined) delta.tool_calls = [callDeltaJson(call)];
      return write(choice(index, delta, null, logprobs), { output, units: outputUnits(delta) });
    },
    finish: (index, reason) =>
      write(choice(index, {}, reason), { finish: true, output: mayBeEmpty.includes(reason) }),
    usage: (counted) => write([], { usage: usageOf(counted), usageOnly: true }, usageJson(counted)),
  };
}

function callDeltaJson({ index, id, name, arguments: text, extraContent }: CallDelta): object {
  const called = name === undefined ? { arguments: text } : { name, arguments: text };
  const call =
    id === undefined ? { index, function: called } : { index, id, type: "function", function: called };
  return extraContent === undefined ? call : { ...call, extra_content: extraContent };
}
