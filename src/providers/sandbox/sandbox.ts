// The sandbox adapter: answers without an upstream, for trials and demos. The model decides the behaviour: `echo`
// repeats the user's text, `slow` starts after 3 s, `failing` always returns 503, `cut` breaks off, `tools` calls
// the first tool. It honours `n`, token limits and `response_format`. Its responses take the same path as a real
// provider's, pauses included.

import { z } from "zod";
import { isObject } from "#contract/normalise.ts";
import { openaiFailure } from "#providers/openai/failure.ts";
import { hasOutput, openaiStream, readUsage } from "#providers/openai/stream.ts";
import {
  type ChatRequest,
  defineProvider,
  type ParsedAnswer,
  type PreparedRequest,
  type SimulatedResponse,
} from "#providers/provider.ts";
import { chunkWriter, type ToolCall } from "#providers/translate/completion.ts";
import { fieldsIn, parseExactly } from "#providers/translate/json.ts";
import { wholeWriter } from "#providers/translate/whole-answer.ts";
import {
  embed,
  estimateTokens,
  lastUserText,
  splitWords,
  toolCall,
  toolResultText,
  truncateToTokens,
} from "./answers.ts";
import { exampleOf } from "./schema-example.ts";

/** The sandbox's models. */
export const sandboxModels = ["echo", "slow", "failing", "cut", "tools"] as const;
type Model = (typeof sandboxModels)[number];

/** The pause between two words of a stream, ms. */
const wordMs = 20;
/** The pause before the first word of `slow`. */
const slowMs = 3_000;
/** The number of words before `cut` breaks off. */
const wordsBeforeCut = 3;
/** OpenAI's limit of `n`. */
const maxChoices = 128;
const defaultDimensions = 8;
const maxDimensions = 4096;

const isModel = (name: string): name is Model => (sandboxModels as readonly string[]).includes(name);

type Piece = SimulatedResponse["pieces"][number];

function simulated(answer: Omit<SimulatedResponse, "contentType"> & { stream?: boolean }): PreparedRequest {
  const { status, pieces, stream = false } = answer;
  const contentType = stream ? "text/event-stream" : "application/json";
  return { kind: "simulated", answer: { status, contentType, pieces } };
}

function errorResponse(status: number, message: string, type: string, code: string): PreparedRequest {
  const text = JSON.stringify({ error: { message, type, param: null, code } });
  return simulated({ status, pieces: [{ waitMs: 0, text }] });
}

/** A model's answer: text or one tool call. */
interface SandboxAnswer {
  text: string;
  call: { name: string; arguments: string } | null;
  finishReason: "stop" | "length" | "tool_calls";
}

function answerFor(model: Model, { body }: ChatRequest): SandboxAnswer {
  // Calling the tool again after its result would never end.
  const toolResult = model === "tools" ? toolResultText(body.messages) : null;
  const call = model === "tools" && toolResult === null ? toolCall(body) : null;
  if (call) return { text: "", call, finishReason: "tool_calls" };
  const whole = formatAnswer(toolResult ?? lastUserText(body.messages), body.response_format);
  const text = truncateToTokens(whole, body.max_completion_tokens ?? body.max_tokens);
  return { text, call: null, finishReason: text === whole ? "stop" : "length" };
}

/** The text in the requested format: an object that contains it, or an example of the schema. */
function formatAnswer(words: string, format: unknown): string {
  if (!isObject(format)) return words;
  if (format.type === "json_schema" && isObject(format.json_schema))
    return JSON.stringify(exampleOf(format.json_schema.schema));
  if (format.type !== "json_object") return words;
  return isObject(parseExactly(words)) ? words : JSON.stringify({ echo: words });
}

const choicesOf = ({ n }: ChatRequest["body"]) =>
  Number.isInteger(n) && Number(n) >= 1 ? Math.min(Number(n), maxChoices) : 1;

function chat(request: ChatRequest): PreparedRequest {
  const { model } = request;
  if (!isModel(model)) {
    const message = `The sandbox has no model ${model}; it has ${sandboxModels.join(", ")}.`;
    return errorResponse(404, message, "invalid_request_error", "model_not_found");
  }
  if (model === "failing")
    return errorResponse(
      503,
      "The sandbox's model `failing` never works.",
      "server_error",
      "sandbox_failing",
    );
  const heading = { id: "chatcmpl-sandbox", created: 0, model };
  const { text, call, finishReason } = answerFor(model, request);
  const indexes = Array.from({ length: choicesOf(request.body) }, (_, index) => index);
  const waitMs = model === "slow" ? slowMs : 0;
  const counted = {
    promptTokens: estimateTokens(request.text),
    completionTokens: estimateTokens(call?.arguments ?? text) * indexes.length,
    cachedTokens: null,
    reasoningTokens: null,
  };
  const callsOf = (index: number): ToolCall[] => (call ? [{ id: `call_sandbox_${index}`, ...call }] : []);
  if (!request.stream) {
    if (model === "cut") return simulated({ status: 200, pieces: [{ waitMs: 0, cut: true }] });
    const whole = wholeWriter(heading);
    for (const index of indexes) {
      whole.write.role(index);
      if (text !== "") whole.write.delta(index, { content: text });
      for (const toolCall of callsOf(index)) whole.write.delta(index, { call: { index: 0, ...toolCall } });
      whole.write.finish(index, finishReason);
    }
    whole.write.usage(counted);
    return simulated({ status: 200, pieces: [{ waitMs, text: whole.text() }] });
  }
  const write = chunkWriter(heading, request);
  const event = (text: string, waitMs: number): Piece => ({ waitMs, text: `data: ${text}\n\n` });
  // One word of every choice, then the next word of every choice.
  const rounds = call
    ? [
        indexes.flatMap((index) =>
          callsOf(index).map((toolCall) => write.delta(index, { call: { index: 0, ...toolCall } })),
        ),
      ]
    : splitWords(text).map((content) => indexes.map((index) => write.delta(index, { content })));
  const spoken = rounds.map((round, at) =>
    round.map((word, place) => event(word.text, place > 0 ? 0 : at === 0 ? waitMs : wordMs)),
  );
  const head = indexes.map((index) => event(write.role(index).text, 0));
  if (model === "cut") {
    const pieces: Piece[] = [
      ...head,
      ...spoken.slice(0, wordsBeforeCut).flat(),
      { waitMs: wordMs, cut: true },
    ];
    return simulated({ status: 200, stream: true, pieces });
  }
  const ends = indexes.map((index) => write.finish(index, finishReason).text);
  const tail = [...ends, write.usage(counted).text, "[DONE]"];
  const pieces = [...head, ...spoken.flat(), ...tail.map((text) => event(text, 0))];
  return simulated({ status: 200, stream: true, pieces });
}

/** One vector for each text or list of tokens. */
function embeddings({ body, text, model }: Omit<ChatRequest, "stream">): PreparedRequest {
  const { input, dimensions, encoding_format: format } = body;
  const single = !Array.isArray(input) || input.every((item) => typeof item === "number");
  const inputs: unknown[] = single ? [input] : (input as unknown[]);
  const size =
    Number.isInteger(dimensions) && Number(dimensions) > 0 && Number(dimensions) <= maxDimensions
      ? Number(dimensions)
      : defaultDimensions;
  const data = inputs.map((item, index) => {
    const vector = embed(typeof item === "string" ? item : JSON.stringify(item ?? null), size);
    const embedding =
      format === "base64" ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector;
    return { object: "embedding", index, embedding };
  });
  const tokens = estimateTokens(text);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const answer = JSON.stringify({ object: "list", data, model, usage });
  return simulated({ status: 200, pieces: [{ waitMs: 0, text: answer }] });
}

/** Parses a response made above. */
function read(text: string, hasOutputIn: (value: Record<string, unknown>) => boolean): ParsedAnswer {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("The sandbox answered with no object.");
  return { kind: "answer", text, output: hasOutputIn(value), usage: readUsage(value.usage) };
}

export const sandbox = defineProvider({
  kind: "sandbox",
  title: "Sandbox",
  summary: `Simulates answers, for trying things out: the models are ${sandboxModels.join(", ")}.`,
  settings: z.strictObject({}),
  urls: () => [],
  chat,
  answer: (text) =>
    read(text, ({ choices }) =>
      fieldsIn(choices).some((choice) => hasOutput(choice.message, choice.finish_reason)),
    ),
  stream: openaiStream,
  failure: openaiFailure,
  embeddings,
  embeddingsAnswer: (text) => read(text, ({ data }) => fieldsIn(data).length > 0),
  check: () => null,
});
