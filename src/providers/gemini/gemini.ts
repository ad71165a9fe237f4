// The adapter for Google's Gemini API: generateContent, its stream, and embeddings. The key is sent in a header, never in the URL. Source:
// ai.google.dev/api/generate-content, /api/embeddings, /gemini-api/docs/api-key, /api/models

import { z } from "zod";
import { isOwnHost } from "#providers/prices/list-price.ts";
import { defineProvider } from "#providers/provider.ts";
import { extraHeaders, hostRoot, keyNeeded, severalKeys } from "#providers/settings.ts";
import { keyOf } from "#providers/several-keys.ts";
import { bodyText } from "#providers/translate/json.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";
import { geminiAnswer, geminiStream } from "./answer.ts";
import { geminiEmbeddingsAnswer, geminiEmbeddingsBody } from "./embeddings.ts";
import { geminiFailure } from "./failure.ts";
import { geminiBody } from "./request.ts";

const ownUrl = "https://generativelanguage.googleapis.com";

const settingsSchema = z
  .strictObject({
    base_url: hostRoot(ownUrl),
    api_key: secret()
      .optional()
      .describe("A key of Google AI Studio. Required unless there are several keys."),
    api_keys: severalKeys(),
    headers: extraHeaders(),
  })
  .refine((settings) => keyOf(settings) !== undefined, keyNeeded);
type Settings = z.output<typeof settingsSchema>;

function headersOf({ headers, ...keys }: Settings, stream: boolean): Record<string, string> {
  return {
    ...headers,
    "x-goog-api-key": keyOf(keys) ?? "",
    accept: stream ? "text/event-stream" : "application/json",
  };
}

/** `models/…` and `tunedModels/…` are collections; any other text is a model's name. */
function inCollection(model: string): readonly [collection: string, name: string] {
  const [, collection = "models", name = model] = /^(models|tunedModels)\/(.+)$/s.exec(model) ?? [];
  return [collection, name.toWellFormed()];
}

function resource(model: string): string {
  const [collection, name] = inCollection(model);
  return `/v1beta/${collection}/${encodeURIComponent(name)}`;
}

export const gemini = defineProvider({
  kind: "gemini",
  title: "Google Gemini",
  summary:
    "Gemini by Google's own generateContent and batchEmbedContents, translated from and to chat completions and embeddings.",
  settings: settingsSchema,
  urls: (settings) => [joinUrl(settings.base_url, "/v1beta/models")],
  chat: (request, settings) => {
    const translated = geminiBody(request);
    if (translated.kind === "unsupported_parameter") return translated;
    const method = request.stream ? "streamGenerateContent?alt=sse" : "generateContent";
    return {
      kind: "request",
      request: {
        method: "POST",
        url: joinUrl(settings.base_url, `${resource(request.model)}:${method}`),
        headers: { ...headersOf(settings, request.stream), "content-type": "application/json" },
        body: bodyText(translated.body),
      },
      adapted: translated.adapted,
    };
  },
  answer: geminiAnswer,
  stream: geminiStream,
  failure: geminiFailure,
  embeddings: (request, settings) => {
    const translated = geminiEmbeddingsBody(request, inCollection(request.model).join("/"));
    if (translated.kind === "unsupported_parameter") return translated;
    return {
      kind: "request",
      request: {
        method: "POST",
        url: joinUrl(settings.base_url, `${resource(request.model)}:batchEmbedContents`),
        headers: { ...headersOf(settings, false), "content-type": "application/json" },
        body: bodyText(translated.body),
      },
    };
  },
  embeddingsAnswer: geminiEmbeddingsAnswer,
  maxEmbedded: 100,
  priceVendor: ({ base_url }) => (isOwnHost(base_url, ownUrl) ? "gemini" : null),
  check: (settings, range) => ({
    method: "GET",
    url: joinUrl(settings.base_url, `/v1beta/models?pageSize=${range === "all" ? 1000 : 1}`),
    headers: headersOf(settings, false),
    body: null,
  }),
});
