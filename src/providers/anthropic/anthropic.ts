// Anthropic's Messages API, natively: what OpenAI's chat completions ask for, translated both ways. The key goes in
// a header. Source: platform.claude.com/docs/en/api/overview, /docs/en/api/messages, /docs/en/api/models-list

import { z } from "zod";
import { defineProvider, secret } from "#providers/provider.ts";
import { extraHeaders, hostRoot, joinUrl } from "#providers/settings.ts";
import { anthropicAnswer, anthropicStream } from "./answer.ts";
import { anthropicFailure } from "./failure.ts";
import { anthropicBody } from "./request.ts";

const settings = z.strictObject({
  base_url: hostRoot("https://api.anthropic.com"),
  api_key: secret().describe("A key of the Claude Console (`sk-ant-…`)."),
  version: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, "Must be a date such as 2023-06-01.")
    .default("2023-06-01")
    .describe(
      "The version of the API, sent as `anthropic-version`. From `2026-10-21` on no model takes `temperature` or `top_p`.",
    ),
  max_tokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      "Tokens of an answer, thoughts included, when the request names no limit, since Anthropic must have one; default: 21333, less for older models, and 4096 for names without a version.",
    ),
  headers: extraHeaders(),
});
type Settings = z.output<typeof settings>;

function headersOf({ api_key, version, headers }: Settings, stream: boolean): Record<string, string> {
  return {
    ...headers,
    "x-api-key": api_key,
    "anthropic-version": version,
    accept: stream ? "text/event-stream" : "application/json",
  };
}

export const anthropic = defineProvider({
  kind: "anthropic",
  title: "Anthropic",
  summary: "Claude by Anthropic's own Messages API, translated from and to chat completions.",
  settings,
  urls: (given) => [joinUrl(given.base_url, "/v1/messages")],
  chat: (request, given) => {
    const made = anthropicBody(request, given.max_tokens, given.version);
    if (made.kind === "unsupported_parameter") return made;
    return {
      kind: "request",
      request: {
        method: "POST",
        url: joinUrl(given.base_url, "/v1/messages"),
        headers: { ...headersOf(given, request.stream), "content-type": "application/json" },
        body: JSON.stringify(made.body),
      },
    };
  },
  answer: anthropicAnswer,
  stream: anthropicStream,
  failure: anthropicFailure,
  check: (given) => ({
    method: "GET",
    url: joinUrl(given.base_url, "/v1/models?limit=1"),
    headers: headersOf(given, false),
    body: null,
  }),
});
