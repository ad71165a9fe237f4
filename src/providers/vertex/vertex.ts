// The adapter for Google's Vertex AI: Gemini by generateContent, let in by access tokens of a service account. What is sent and
// answered is Gemini's, so that `gemini/` translates it. Source: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference,
// /docs/learn/locations, and the addresses that @google/genai 3.1.0 takes.

import { z } from "zod";
import { geminiAnswer, geminiStream } from "#providers/gemini/answer.ts";
import { geminiFailure } from "#providers/gemini/failure.ts";
import { geminiBody } from "#providers/gemini/request.ts";
import { defineProvider, type VendorRequest } from "#providers/provider.ts";
import { extraHeaders } from "#providers/settings.ts";
import type { TokenGrant } from "#providers/token-grant.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";
import { accountOf, credentialsIssue, googleTokenUrl } from "./credentials.ts";

const settingsSchema = z
  .strictObject({
    project: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.:-]{3,99}$/, "Must be the id or the number of a project of Google Cloud.")
      .optional()
      .describe("The project whose models are asked; default: that of the service account."),
    location: z
      .string()
      .regex(
        /^(?:global|us|eu|[a-z]{2,20}-[a-z]{2,20}\d{1,2})$/,
        "Must be a location of Vertex AI, such as europe-west4, eu or global.",
      )
      .default("global")
      .describe("Where the models are asked: a region, `us`, `eu`, or `global`, by which Google chooses."),
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

/** A name alone, or behind its publisher as the list of models has it. */
const nameOf = (model: string) => /^publishers\/google\/models\/(.+)$/s.exec(model)?.[1] ?? model;

function resource(settings: Settings, model: string): string {
  const project = settings.project ?? accountOf(settings.credentials).project;
  const name = encodeURIComponent(nameOf(model).toWellFormed());
  const place = `projects/${encodeURIComponent(project)}/locations/${settings.location}`;
  return `/v1/${place}/publishers/google/models/${name}`;
}

function posted(settings: Settings, path: string, body: object, stream: boolean): VendorRequest {
  return {
    method: "POST",
    url: joinUrl(rootOf(settings), path),
    headers: {
      ...settings.headers,
      accept: stream ? "text/event-stream" : "application/json",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
    tokenGrant: grantOf(settings),
  };
}

export const vertex = defineProvider({
  kind: "vertex",
  title: "Google Vertex AI",
  summary:
    "Gemini in a project of Google Cloud by its generateContent, translated from and to chat completions.",
  settings: settingsSchema,
  urls: (settings) => [rootOf(settings), settings.token_url],
  chat: (request, settings) => {
    const translated = geminiBody(request);
    if (translated.kind === "unsupported_parameter") return translated;
    const method = request.stream ? "streamGenerateContent?alt=sse" : "generateContent";
    const path = `${resource(settings, request.model)}:${method}`;
    return { kind: "request", request: posted(settings, path, translated.body, request.stream) };
  },
  answer: geminiAnswer,
  stream: geminiStream,
  failure: geminiFailure,
  listedAs: ({ base_url }) => (base_url === undefined ? "gemini" : null),
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
