// The adapter for Google's Vertex AI: Gemini with generateContent and Claude with rawPredict, authenticated by access tokens of a service
// account. Requests and answers are Gemini's or Anthropic's, so `gemini/` and `anthropic/` translate them. Source:
// cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference, /docs/learn/locations, and the addresses that @google/genai
// 3.1.0 accepts.

import { z } from "zod";
import { anthropicAnswer, anthropicStream } from "#providers/anthropic/answer.ts";
import { anthropicFailure } from "#providers/anthropic/failure.ts";
import { forwardedHeaders } from "#providers/anthropic/native.ts";
import { geminiAnswer, geminiStream } from "#providers/gemini/answer.ts";
import { geminiFailure } from "#providers/gemini/failure.ts";
import { geminiBody } from "#providers/gemini/request.ts";
import { defineProvider, type NativeRequest, type VendorRequest } from "#providers/provider.ts";
import { extraHeaders } from "#providers/settings.ts";
import type { TokenGrant } from "#providers/token-grant.ts";
import { bodyText } from "#providers/translate/json.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";
import { claudeApi, claudeBody, isClaude, isClaudeError, ownName } from "./claude.ts";
import { accountOf, credentialsIssue, googleTokenUrl } from "./credentials.ts";
import { vertexEmbeddingsAnswer, vertexEmbeddingsBody } from "./embeddings.ts";

const settingsSchema = z
  .strictObject({
    project: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.:-]{3,99}$/, "Must be the id or the number of a project of Google Cloud.")
      .optional()
      .describe("The project whose models are called; default: that of the service account."),
    location: z
      .string()
      .regex(
        /^(?:global|us|eu|[a-z]{2,20}-[a-z]{2,20}\d{1,2})$/,
        "Must be a location of Vertex AI, such as europe-west4, eu or global.",
      )
      .default("global")
      .describe("Where the models are called: a region, `us`, `eu`, or `global`, which lets Google choose."),
    credentials: secret().describe(
      "The JSON file of a service account's key, whole, as one text. The account needs the role Vertex AI User (`roles/aiplatform.user`). Its key signs a statement, for which Google grants an access token of an hour.",
    ),
    base_url: baseUrlField()
      .optional()
      .describe(
        "The root URL of a proxy or a test double of Vertex AI; default: Google's for the location. Access tokens are sent there.",
      ),
    token_url: baseUrlField()
      .default(googleTokenUrl)
      .describe(
        "The URL of a proxy or a test double of Google's token endpoint, to which signed statements are sent; the default is Google's.",
      ),
    headers: extraHeaders(),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, message: string) =>
      issues.push({ code: "custom", input: value, path: [path], message });
    const issue = credentialsIssue(value.credentials);
    if (issue !== null) refuse("credentials", issue);
    else if (value.project === undefined && accountOf(value.credentials).project === "")
      refuse("project", "is needed, since the credentials name none");
  });
type Settings = z.output<typeof settingsSchema>;

function rootOf({ base_url, location }: Settings): string {
  if (base_url !== undefined) return base_url;
  if (location === "global") return "https://aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

function grantOf({ credentials, token_url: url }: Settings): TokenGrant {
  const { email, privateKey, keyId } = accountOf(credentials);
  return {
    url,
    issuer: "Google",
    scope: "https://www.googleapis.com/auth/cloud-platform",
    proof: { email, privateKey, keyId, audience: googleTokenUrl },
  };
}

function resource(
  settings: Settings,
  model: string,
  publisher = isClaude(model) ? "anthropic" : "google",
): string {
  const project = settings.project ?? accountOf(settings.credentials).project;
  // The version of a Claude model follows an `@`, which a path may contain.
  const name = encodeURIComponent(ownName(model).toWellFormed()).replaceAll("%40", "@");
  const place = `projects/${encodeURIComponent(project)}/locations/${settings.location}`;
  return `/v1/${place}/publishers/${publisher}/models/${name}`;
}

function posted(
  settings: Settings,
  path: string,
  body: object | string,
  stream: boolean,
  client: NativeRequest["headers"] = {},
): VendorRequest {
  const headers = {
    ...settings.headers,
    accept: stream ? "text/event-stream" : "application/json",
    "content-type": "application/json",
  };
  return {
    method: "POST",
    url: joinUrl(rootOf(settings), path),
    headers: Object.keys(client).length === 0 ? headers : forwardedHeaders(headers, client),
    body: typeof body === "string" ? body : bodyText(body),
    tokenGrant: grantOf(settings),
  };
}

const methods = {
  gemini: ["generateContent", "streamGenerateContent?alt=sse"],
  claude: ["rawPredict", "streamRawPredict"],
} as const;

export const vertex = defineProvider({
  kind: "vertex",
  title: "Google Vertex AI",
  summary:
    "Gemini and Claude in a project of Google Cloud by generateContent and rawPredict, translated from and to chat completions, and embeddings.",
  settings: settingsSchema,
  urls: (settings) => [rootOf(settings), settings.token_url],
  chat: (request, settings) => {
    const isClaudes = isClaude(request.model);
    const translated = isClaudes ? claudeBody(request) : geminiBody(request);
    if (translated.kind === "unsupported_parameter") return translated;
    const [whole, streamed] = isClaudes ? methods.claude : methods.gemini;
    const method = request.stream ? streamed : whole;
    const path = `${resource(settings, request.model)}:${method}`;
    const { body, adapted } = translated;
    return { kind: "request", request: posted(settings, path, body, request.stream), adapted };
  },
  answer: (text, request) =>
    isClaude(request.model) ? anthropicAnswer(text, request) : geminiAnswer(text, request),
  stream: (request) => (isClaude(request.model) ? anthropicStream(request) : geminiStream(request)),
  failure: (status, headers, text, now) =>
    isClaudeError(text)
      ? anthropicFailure(status, headers, text, now)
      : geminiFailure(status, headers, text, now),
  native: (format, settings, asked) => {
    if (format !== "messages" || !isClaude(asked)) return null;
    return claudeApi((model, method, body, { stream, headers }) => {
      const path = `${resource(settings, model, "anthropic")}:${method}`;
      return posted(settings, path, body, stream, headers);
    }, settings.base_url);
  },
  embeddings: (request, settings) => {
    if (isClaude(request.model))
      return { kind: "unsupported_parameter", param: "model", message: "Claude has no embeddings." };
    const translated = vertexEmbeddingsBody(request, ownName(request.model));
    if (translated.kind === "unsupported_parameter") return translated;
    const path = `${resource(settings, request.model)}:${translated.method}`;
    return { kind: "request", request: posted(settings, path, translated.body, false) };
  },
  embeddingsAnswer: (text, request) => vertexEmbeddingsAnswer(text, request, ownName(request.model)),
  priceVendor: ({ base_url, location }, model) => {
    if (base_url !== undefined) return null;
    if (!isClaude(model)) return "gemini";
    // Claude costs more in a region.
    return location === "global" ? "anthropic" : null;
  },
  check: (settings, range) => ({
    method: "GET",
    url: joinUrl(
      rootOf(settings),
      `/v1beta1/publishers/google/models?pageSize=${range === "all" ? 1000 : 1}`,
    ),
    headers: { ...settings.headers, accept: "application/json" },
    body: null,
    tokenGrant: grantOf(settings),
  }),
});
