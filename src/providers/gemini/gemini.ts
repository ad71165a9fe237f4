// Google's Gemini API, natively: generateContent, its stream, and embeddings. The key goes in a header, never in the
// URL. Source: ai.google.dev/api/generate-content, /api/embeddings, /gemini-api/docs/api-key, /api/models

import { z } from "zod";
import { defineProvider, secret } from "#providers/provider.ts";
import { extraHeaders, hostRoot, joinUrl } from "#providers/settings.ts";
import { geminiAnswer, geminiStream } from "./answer.ts";
import { geminiEmbeddingsAnswer, geminiEmbeddingsBody } from "./embeddings.ts";
import { geminiFailure } from "./failure.ts";
import { geminiBody } from "./request.ts";

const settings = z.strictObject({
  base_url: hostRoot("https://generativelanguage.googleapis.com"),
  api_key: secret().describe("A key of Google AI Studio."),
  headers: extraHeaders(),
});
type Settings = z.output<typeof settings>;

function headersOf({ api_key, headers }: Settings, stream: boolean): Record<string, string> {
  return {
    ...headers,
    "x-goog-api-key": api_key,
    accept: stream ? "text/event-stream" : "application/json",
  };
}

/** `models/…` and `tunedModels/…` are collections; anything else is the name of a model, whatever stands in it. */
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
  settings,
  urls: (given) => [joinUrl(given.base_url, "/v1beta/models")],
  chat: (request, given) => {
    const made = geminiBody(request);
    if (made.kind === "unsupported_parameter") return made;
    const method = request.stream ? "streamGenerateContent?alt=sse" : "generateContent";
    return {
      kind: "request",
      request: {
        method: "POST",
        url: joinUrl(given.base_url, `${resource(request.model)}:${method}`),
        headers: { ...headersOf(given, request.stream), "content-type": "application/json" },
        body: JSON.stringify(made.body),
      },
    };
  },
  answer: geminiAnswer,
  stream: geminiStream,
  failure: geminiFailure,
  embeddings: (request, given) => {
    const made = geminiEmbeddingsBody(request, inCollection(request.model).join("/"));
    if (made.kind === "unsupported_parameter") return made;
    return {
      kind: "request",
      request: {
        method: "POST",
        url: joinUrl(given.base_url, `${resource(request.model)}:batchEmbedContents`),
        headers: { ...headersOf(given, false), "content-type": "application/json" },
        body: JSON.stringify(made.body),
      },
    };
  },
  embeddingsAnswer: geminiEmbeddingsAnswer,
  check: (given) => ({
    method: "GET",
    url: joinUrl(given.base_url, "/v1beta/models?pageSize=1"),
    headers: headersOf(given, false),
    body: null,
  }),
});
