// The sandbox: answers without asking anybody, for trying things out and for demos. The model decides what
// happens: `echo` says what the user said, `slow` takes 3 s to begin, `failing` is a 503 each time, `cut` breaks
// off, `tools` calls the first tool. `n`, the limits of tokens and `response_format` are kept as a real one keeps them.
// Everything goes the way of a real provider's answer, pauses included.

import { z } from "zod";
import { openaiFailure } from "#providers/openai/failure.ts";
import { hasOutput, openaiStream, readUsage } from "#providers/openai/stream.ts";
import {
  type ChatRequest,
  defineProvider,
  type ParsedAnswer,
  type PreparedRequest,
  type SimulatedResponse,
} from "#providers/provider.ts";
import { chunkWriter, completion, type ToolCall } from "#providers/translate/completion.ts";
import { fieldsIn, isFields, parseExactly } from "#providers/translate/json.ts";
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

/** The models that there are. */
export const sandboxModels = ["echo", "slow", "failing", "cut", "tools"] as const;
type Model = (typeof sandboxModels)[number];

/** Between two words of a stream. */
const wordMs = 20;
/** Before the first word of `slow`. */
const slowMs = 3_000;
/** How many words `cut` gets out. */
const wordsBeforeCut = 3;
/** OpenAI's bound. */
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

/** What a model says: text, or one tool call. */
interface SandboxAnswer {
  text: string;
  call: { name: string; arguments: string } | null;
  finishReason: "stop" | "length" | "tool_calls";
}

function answerFor(model: Model, { body }: ChatRequest): SandboxAnswer {
  // Another call after a tool's answer would have no end.
  const told = model === "tools" ? toolResultText(body.messages) : null;
  const call = model === "tools" && told === null ? toolCall(body) : null;
  if (call) return { text: "", call, finishReason: "tool_calls" };
  const whole = formatAnswer(told ?? lastUserText(body.messages), body.response_format);
  const text = truncateToTokens(whole, body.max_completion_tokens ?? body.max_tokens);
  return { text, call: null, finishReason: text === whole ? "stop" : "length" };
}

/** The words in the form that was asked for: an object that holds them, or an example of a schema. */
function formatAnswer(words: string, format: unknown): string {
  if (!isFields(format)) return words;
  if (format.type === "json_schema" && isFields(format.json_schema))
    return JSON.stringify(exampleOf(format.json_schema.schema));
  if (format.type !== "json_object") return words;
  return isFields(parseExactly(words)) ? words : JSON.stringify({ echo: words });
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
  const called = (index: number): ToolCall[] => (call ? [{ id: `call_sandbox_${index}`, ...call }] : []);
  if (!request.stream) {
    if (model === "cut") return simulated({ status: 200, pieces: [{ waitMs: 0, cut: true }] });
    const choices = indexes.map((index) => ({
      index,
      text,
      reasoning: "",
      refusal: null,
      calls: called(index),
      finishReason,
    }));
    const answer = completion(heading, choices, counted);
    return simulated({
      status: 200,
      pieces: answer.kind === "answer" ? [{ waitMs, text: answer.text }] : [],
    });
  }
  const write = chunkWriter(heading);
  const event = (text: string, after: number): Piece => ({ waitMs: after, text: `data: ${text}\n\n` });
  // One word of every choice, then the next of every choice.
  const rounds = call
    ? [
        indexes.flatMap((index) =>
          called(index).map((one) => write.delta(index, { call: { index: 0, ...one } })),
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

/** One vector for each text, or list of tokens, that was given. */
function embeddings({ body, text, model }: Omit<ChatRequest, "stream">): PreparedRequest {
  const { input, dimensions, encoding_format: format } = body;
  const single = !Array.isArray(input) || input.every((one) => typeof one === "number");
  const inputs: unknown[] = single ? [input] : (input as unknown[]);
  const size =
    Number.isInteger(dimensions) && Number(dimensions) > 0 && Number(dimensions) <= maxDimensions
      ? Number(dimensions)
      : defaultDimensions;
  const data = inputs.map((one, index) => {
    const vector = embed(typeof one === "string" ? one : JSON.stringify(one ?? null), size);
    const embedding =
      format === "base64" ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector;
    return { object: "embedding", index, embedding };
  });
  const tokens = estimateTokens(text);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const answer = JSON.stringify({ object: "list", data, model, usage });
  return simulated({ status: 200, pieces: [{ waitMs: 0, text: answer }] });
}

/** Reads back what was made above. */
function read(text: string, says: (value: Record<string, unknown>) => boolean): ParsedAnswer {
  const value: unknown = JSON.parse(text);
  if (!isFields(value)) throw new Error("The sandbox answered with no object.");
  return { kind: "answer", text, output: says(value), usage: readUsage(value.usage) };
}

export const sandbox = defineProvider({
  kind: "sandbox",
  title: "Sandbox",
  summary: `Answers by itself, for trying things out: the models are ${sandboxModels.join(", ")}.`,
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
