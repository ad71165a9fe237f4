// The adapter for Anthropic's Messages API, which translates to and from OpenAI's chat completions. The key is sent in a header. Source:
// platform.claude.com/docs/en/api/overview, /docs/en/api/messages, /docs/en/api/models-list

import { z } from "zod";
import { isOwnHost } from "#providers/prices/list-price.ts";
import { defineProvider, type NativeRequest, type VendorRequest } from "#providers/provider.ts";
import { extraHeaders, hostRoot, keyNeeded, severalKeys } from "#providers/settings.ts";
import { keyOf } from "#providers/several-keys.ts";
import { bodyText } from "#providers/translate/json.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";
import { anthropicAnswer, anthropicStream } from "./answer.ts";
import { anthropicFailure } from "./failure.ts";
import { foldedMessage } from "./fold.ts";
import { forwardedAnswer, forwardedBody, forwardedHeaders, forwardedStream } from "./native.ts";
import { anthropicBody } from "./request.ts";
import { anthropicUrl, sealedThinking } from "./sealed-thinking.ts";
import { unfoldedMessage } from "./unfold.ts";

const settingsSchema = z
  .strictObject({
    base_url: hostRoot(anthropicUrl),
    api_key: secret()
      .optional()
      .describe("A key of the Claude Console (`sk-ant-…`). Required unless there are several keys."),
    api_keys: severalKeys(),
    version: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/, "Must be a date such as 2023-06-01.")
      .default("2023-06-01")
      .describe(
        "The version of the API, sent as `anthropic-version`. From `2026-10-21` on no model accepts `temperature` or `top_p`.",
      ),
    max_tokens: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        "Tokens of an answer, thoughts included, when the request names no limit, since Anthropic must have one; default: from Claude 4.5 on the most that the model writes in a stream (64000 or 128000), 21333 in a whole answer, less for older models, and 4096 for names without a version.",
      ),
    headers: extraHeaders(),
  })
  .refine((settings) => keyOf(settings) !== undefined, keyNeeded);
type Settings = z.output<typeof settingsSchema>;

function headersOf({ version, headers, ...keys }: Settings, stream: boolean): Record<string, string> {
  return {
    ...headers,
    "x-api-key": keyOf(keys) ?? "",
    "anthropic-version": version,
    accept: stream ? "text/event-stream" : "application/json",
  };
}

export const anthropic = defineProvider({
  kind: "anthropic",
  title: "Anthropic",
  summary: "Claude by Anthropic's own Messages API, translated from and to chat completions.",
  settings: settingsSchema,
  urls: (settings) => [joinUrl(settings.base_url, "/v1/messages")],
  chat: (request, settings) => {
    const translated = anthropicBody(request, settings.max_tokens, settings.version);
    if (translated.kind === "unsupported_parameter") return translated;
    return {
      kind: "request",
      request: {
        method: "POST",
        url: joinUrl(settings.base_url, "/v1/messages"),
        headers: { ...headersOf(settings, request.stream), "content-type": "application/json" },
        body: bodyText(translated.body),
      },
      adapted: translated.adapted,
    };
  },
  answer: anthropicAnswer,
  stream: anthropicStream,
  failure: anthropicFailure,
  native: (format, settings, model) => {
    if (format !== "messages") return null;
    const forwarded = (path: string, request: NativeRequest): VendorRequest => ({
      method: "POST",
      url: joinUrl(settings.base_url, path),
      headers: forwardedHeaders(
        { ...headersOf(settings, request.stream), "content-type": "application/json" },
        request.headers,
      ),
      body: forwardedBody(request),
    });
    return {
      prepare: (request) => ({ kind: "request", request: forwarded("/v1/messages", request) }),
      answer: forwardedAnswer,
      stream: forwardedStream,
      fold: foldedMessage,
      unfold: unfoldedMessage,
      sealed: sealedThinking(settings.base_url, model),
      countTokens: (request) => forwarded("/v1/messages/count_tokens", request),
    };
  },
  priceVendor: ({ base_url }) => (isOwnHost(base_url, anthropicUrl) ? "anthropic" : null),
  sealGroup: ({ base_url }) => base_url,
  thoughts: "blocks",
  check: (settings, range) => ({
    method: "GET",
    url: joinUrl(settings.base_url, `/v1/models?limit=${range === "all" ? 1000 : 1}`),
    headers: headersOf(settings, false),
    body: null,
  }),
});
