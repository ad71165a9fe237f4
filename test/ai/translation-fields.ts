// The fields of each client API, as its official client has them, with a value that asks for something.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ClientFormat } from "#providers/provider.ts";
import { googleValues } from "./translation-google.ts";

const tool = { name: "f", description: "Does.", parameters: { type: "object", properties: {} } };
const schema = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};

/**
 * Types in the client's declarations, and for a client that sends fields in other places than it declares them, the functions that
 * write them.
 */
interface Declared {
  declarations: string;
  types: readonly Named[];
  source?: string;
  writers?: readonly Named[];
}

interface Named {
  name: string;
  /** Where its fields are in the request; empty: at its top. */
  at: string;
}

export interface Fields {
  format: ClientFormat;
  /** What comes before the fields of the request in the page. */
  title: string;
  /** Where the client names the fields. */
  declared: Declared;
  base: Readonly<Record<string, unknown>>;
  /** Fields of the client itself, which it does not send, and those that make the request in the first place. */
  skipped: readonly string[];
  /** A value of each field; of a list of values the first is the field's, the second is merged into the request beside it. */
  values: Readonly<Record<string, unknown>>;
  /** Fields that the gateway itself honours or refuses, so that no member has to. */
  gateway: readonly string[];
  /** Each value is what the request has in place of its own fields: those of the client are inside of others. */
  merged?: true;
}

export const apis: readonly Fields[] = [
  {
    format: "chat_completions",
    title: "Chat completions",
    declared: {
      types: [{ name: "ChatCompletionCreateParamsBase", at: "" }],
      declarations: "openai/resources/chat/completions/completions.d.ts",
    },
    base: { model: "m", messages: [{ role: "user", content: "Hello" }] },
    skipped: ["model", "messages"],
    values: {
      audio: { voice: "alloy", format: "wav" },
      cache_control: { type: "ephemeral" },
      frequency_penalty: 0.5,
      function_call: { name: "f" },
      functions: [tool],
      logit_bias: { 50256: -100 },
      logprobs: true,
      max_completion_tokens: 2_000,
      max_tokens: 2_000,
      metadata: { a: "b" },
      modalities: ["text", "image"],
      moderation: { model: "omni" },
      n: 2,
      parallel_tool_calls: [false, { tools: [{ type: "function", function: tool }] }],
      prediction: { type: "content", content: "x" },
      presence_penalty: 0.5,
      prompt_cache_key: "k",
      prompt_cache_options: { mode: "x" },
      prompt_cache_retention: "24h",
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "a", schema } },
      safety_identifier: "u",
      seed: 7,
      service_tier: "priority",
      stop: ["x"],
      store: true,
      stream: true,
      stream_options: [{ include_usage: true }, { stream: true }],
      temperature: 0.5,
      thinking: { type: "enabled", budget_tokens: 2_048 },
      tool_choice: ["required", { tools: [{ type: "function", function: tool }] }],
      tools: [[{ type: "function", function: tool }]],
      top_k: 5,
      top_logprobs: [2, { logprobs: true }],
      top_p: 0.5,
      user: "u",
      verbosity: "low",
      web_search_options: {},
    },
    gateway: ["stream", "stream_options", "metadata", "user", "safety_identifier"],
  },
  {
    format: "messages",
    title: "Anthropic's messages",
    declared: {
      types: [{ name: "MessageCreateParamsBase", at: "" }],
      declarations: "@anthropic-ai/sdk/resources/messages/messages.d.ts",
    },
    base: { model: "m", max_tokens: 8_000, messages: [{ role: "user", content: "Hello" }] },
    skipped: ["model", "messages", "max_tokens"],
    values: {
      cache_control: { type: "ephemeral" },
      container: "c",
      context_management: { edits: [] },
      diagnostics: { a: 1 },
      inference_geo: "eu",
      metadata: { user_id: "u" },
      output_config: { effort: "low" },
      service_tier: "auto",
      speed: "fast",
      stop_sequences: [["x"]],
      stream: true,
      system: "Be brief.",
      temperature: 0.5,
      thinking: { type: "enabled", budget_tokens: 2_048 },
      tool_choice: [{ type: "any" }, { tools: [{ name: "f", input_schema: tool.parameters }] }],
      tools: [[{ name: "f", input_schema: tool.parameters }]],
      top_k: 5,
      top_p: 0.5,
      user_profile_id: "u",
      workspace_id: "w",
    },
    gateway: ["stream", "metadata"],
  },
  {
    format: "responses",
    title: "OpenAI's responses",
    declared: {
      types: [{ name: "ResponseCreateParamsBase", at: "" }],
      declarations: "openai/resources/responses/responses.d.ts",
    },
    base: { model: "m", input: "Hello" },
    skipped: ["model", "input"],
    values: {
      access_programs: ["x"],
      background: true,
      context_management: [[{ type: "compaction" }]],
      conversation: "c",
      image: { a: 1 },
      include: [["message.output_text.logprobs"]],
      instructions: "Be brief.",
      max_output_tokens: 2_000,
      max_tool_calls: 2,
      metadata: { a: "b" },
      moderation: { model: "omni" },
      parallel_tool_calls: [false, { tools: [{ type: "function", ...tool }] }],
      previous_response_id: "resp_1",
      prompt: { id: "p" },
      prompt_cache_key: "k",
      prompt_cache_options: { mode: "x" },
      prompt_cache_retention: "24h",
      reasoning: { effort: "low" },
      safety_identifier: "u",
      service_tier: "priority",
      store: true,
      stream: true,
      stream_options: [{ include_obfuscation: false }, { stream: true }],
      temperature: 0.5,
      text: { format: { type: "json_schema", name: "a", schema } },
      tool_choice: ["required", { tools: [{ type: "function", ...tool }] }],
      tools: [[{ type: "function", ...tool }]],
      top_logprobs: [2, { include: ["message.output_text.logprobs"] }],
      top_p: 0.5,
      truncation: "auto",
      user: "u",
    },
    gateway: [
      "background",
      "conversation",
      "metadata",
      "previous_response_id",
      "safety_identifier",
      "store",
      "stream",
      "stream_options",
      "user",
    ],
  },
  {
    format: "gemini",
    title: "Google's generateContent",
    declared: {
      declarations: "@google/genai/dist/genai.d.ts",
      types: [
        { name: "FunctionDeclaration", at: "functionDeclarations" },
        { name: "ThinkingConfig", at: "generationConfig.thinkingConfig" },
      ],
      source: "@google/genai/dist/node/index.mjs",
      writers: [
        { name: "generateContentParametersToMldev", at: "" },
        { name: "generateContentConfigToMldev", at: "generationConfig" },
        { name: "imageConfigToMldev", at: "generationConfig.imageConfig" },
        { name: "partToMldev", at: "contents" },
        { name: "toolToMldev", at: "tools" },
        { name: "toolConfigToMldev", at: "toolConfig" },
        { name: "functionCallingConfigToMldev", at: "toolConfig.functionCallingConfig" },
      ],
    },
    base: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
    skipped: [
      // The client's own, and what the others consist of.
      "_url",
      "contents",
      "contents.text",
      "generationConfig",
      "generationConfig.imageConfig",
      "generationConfig.thinkingConfig",
      "tools",
      "tools.functionDeclarations",
      "functionDeclarations.name",
      "toolConfig",
      "toolConfig.functionCallingConfig",
    ],
    values: googleValues,
    gateway: [
      "contents.thought",
      "contents.thoughtSignature",
      "generationConfig.thinkingConfig.includeThoughts",
    ],
    merged: true,
  },
];

/** The names of the fields that the official client has. */
export function declaredFields({ declared }: Fields): string[] {
  const { declarations, types, source, writers = [] } = declared;
  const text = textOf(declarations);
  const named = types.flatMap(({ name, at }) => {
    const body = bodyOf(text, new RegExp(`\\nexport (?:declare )?interface ${name} `));
    return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field]) => placed(at, field!));
  });
  const code = source === undefined ? "" : textOf(source);
  const written = writers.flatMap(({ name, at }) => {
    const body = bodyOf(code, new RegExp(`\\nfunction ${name}(?:\\$\\d+)?\\(`));
    return [...body.matchAll(/setValueByPath\((toObject|parentObject), \['(\w+)'/g)].map(([, to, field]) =>
      placed(to === "toObject" ? at : "", field!),
    );
  });
  return [...new Set([...named, ...written])];
}

const textOf = (file: string) => readFileSync(new URL(`../node_modules/${file}`, import.meta.url), "utf8");

const placed = (at: string, field: string) => (at === "" ? field : `${at}.${field}`);

function bodyOf(text: string, start: RegExp): string {
  const from = text.search(start);
  assert.ok(from >= 0, `${start} is not in the client`);
  return text.slice(from, text.indexOf("\n}", from));
}
