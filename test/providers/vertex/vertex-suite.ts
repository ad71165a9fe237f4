// Vertex AI's wire traffic: Gemini's own, at other addresses, and what is of Vertex alone after its documentation
// (cloud.google.com/vertex-ai/generative-ai/docs: model-reference/inference, model-reference/api-errors) and its users' reports.

import assert from "node:assert/strict";
import type { FailureCase, ProviderSuite, RequestCase, StreamCase } from "../conformance-cases.ts";
import { answerCases, failureCases, requestCases, streamCases, unsupportedCases } from "../fixtures.ts";
import { credentials, keyFile } from "./key-file.ts";

const host = "https://europe-west4-aiplatform.googleapis.com";
const place = "/v1/projects/example-project/locations/europe-west4";

/** What goes to Gemini, as it goes to Vertex AI. */
function moved({ request, settings, ...recorded }: RequestCase): RequestCase {
  const { "x-goog-api-key": _key, ...headers } = request.headers ?? {};
  const url = request.url
    .replace("https://generativelanguage.googleapis.com", host)
    .replace("/v1beta/models/", `${place}/publishers/google/models/`);
  return { ...recorded, ...(settings ? { settings } : {}), request: { ...request, headers, url } };
}

const hello = { messages: [{ role: "user", content: "Hello" }] };
const helloBody = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };

/** Requests at each form of location. */
const located: RequestCase[] = [
  ["global", "https://aiplatform.googleapis.com"],
  ["eu", "https://aiplatform.eu.rep.googleapis.com"],
  ["us", "https://aiplatform.us.rep.googleapis.com"],
  ["us-central1", "https://us-central1-aiplatform.googleapis.com"],
].map(([location = "", root]) => ({
  name: `at ${location}, by the name that the list has`,
  body: hello,
  model: "publishers/google/models/gemini-2.5-flash",
  settings: { location, project: "other-project" },
  request: {
    url: `${root}/v1/projects/other-project/locations/${location}/publishers/google/models/gemini-2.5-flash:generateContent`,
    body: helloBody,
  },
}));

const refusal = (status: number, name: string, message: string, details: object[] = []) => ({
  error: { code: status, message, status: name, details },
});
const resource = "projects/example-project/locations/europe-west4/publishers/google/models/gemini-9";

const failures: FailureCase[] = [
  {
    name: "Vertex AI: a token that has ended",
    status: 401,
    wire: refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "ACCESS_TOKEN_EXPIRED" },
    ]),
    failure: { kind: "unauthorized" },
  },
  {
    name: "Vertex AI: an account without the role",
    status: 403,
    wire: refusal(
      403,
      "PERMISSION_DENIED",
      `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/${resource}' (or it may not exist).`,
      [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "IAM_PERMISSION_DENIED" }],
    ),
    failure: { kind: "unauthorized", error: { code: "provider_denied" } },
  },
  {
    name: "Vertex AI: a model that the location does not have",
    status: 404,
    wire: refusal(
      404,
      "NOT_FOUND",
      `Publisher Model \`${resource}\` was not found or your project does not have access to it.`,
    ),
    failure: { kind: "model_not_found", error: { param: "model" } },
  },
  {
    name: "Vertex AI: the shared quota is used up",
    status: 429,
    wire: refusal(429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please try again later."),
    failure: { kind: "rate_limited" },
  },
];

/** Usage comes at the end; before that its object says only what kind of traffic it is. */
const traffic: StreamCase = {
  name: "Vertex AI: the kind of traffic before the usage",
  wire: [
    {
      candidates: [{ content: { role: "model", parts: [{ text: "Hel" }] } }],
      usageMetadata: { trafficType: "ON_DEMAND" },
    },
    {
      candidates: [{ content: { role: "model", parts: [{ text: "lo" }] }, finishReason: "STOP" }],
      usageMetadata: {
        promptTokenCount: 3,
        candidatesTokenCount: 2,
        totalTokenCount: 5,
        trafficType: "ON_DEMAND",
      },
    },
  ]
    .map((part) => ({
      ...part,
      modelVersion: "gemini-2.5-flash",
      createTime: "2026-11-20T12:00:00.123456Z",
      responseId: "r1",
    }))
    .map((part) => `data: ${JSON.stringify(part)}\r\n\r\n`)
    .join(""),
  chunks: [
    {
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null, logprobs: null }],
    },
    { choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: null, logprobs: null }] },
    { choices: [{ index: 0, delta: { content: "lo" }, finish_reason: null, logprobs: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop", logprobs: null }] },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
  ].map((chunk) => ({
    id: "r1",
    object: "chat.completion.chunk",
    created: 1_795_176_000,
    model: "gemini-2.5-flash",
    ...chunk,
  })),
  end: "done",
};

const claude = "claude-sonnet-4-5@20250929";
/** A case of Anthropic's, about a model of the same version on Vertex AI. */
const ofClaude = <Case extends { name: string; model?: string }>(recorded: Case): Case => ({
  ...recorded,
  name: `Claude: ${recorded.name}`,
  model: recorded.model ?? claude,
});

/** What goes to Anthropic, as it goes to Vertex AI. */
function movedClaude(recorded: RequestCase): RequestCase {
  const { stream, request } = recorded;
  const { model: named, ...body } = request.body as { model: string };
  const model = recorded.model ?? claude;
  assert.ok(named === model || model === claude);
  const method = stream ? "streamRawPredict" : "rawPredict";
  return {
    ...ofClaude(recorded),
    request: {
      url: `${host}${place}/publishers/anthropic/models/${model}:${method}`,
      headers: { accept: stream ? "text/event-stream" : "application/json" },
      body: { anthropic_version: "vertex-2023-10-16", ...body },
    },
  };
}

const isAnthropics = ({ wire }: FailureCase) =>
  typeof wire === "object" && wire !== null && "type" in wire && wire.type === "error";

const changed = (more: object) => JSON.stringify({ ...keyFile, ...more });

export const vertexSuite: ProviderSuite = {
  settings: { location: "europe-west4", credentials },
  model: "gemini-2.5-flash",
  check: `${host}/v1beta1/publishers/google/models?pageSize=1`,
  refused: [
    { settings: {}, path: "credentials", says: /./ },
    { settings: { credentials: "AIzaSyExample" }, path: "credentials", says: /JSON file/ },
    {
      settings: { credentials: changed({ token_uri: "https://oauth2.example.com/token" }) },
      path: "credentials",
      says: /sent nowhere else/,
    },
    { settings: { credentials: changed({ project_id: undefined }) }, path: "project", says: /needed/ },
    { settings: { credentials, project: "../x" }, path: "project", says: /project/ },
    { settings: { credentials, location: "evil.test/" }, path: "location", says: /location/ },
    { settings: { credentials, base_url: "https://x.test/?key=1" }, path: "base_url", says: /query/ },
    { settings: { credentials, token_url: "https://u:p@x.test/" }, path: "token_url", says: /login/ },
    {
      settings: { credentials, headers: { authorization: "x" } },
      path: "headers.authorization",
      says: /./,
    },
  ],
  requests: [
    ...requestCases("gemini")
      .filter(({ model = "" }) => !model.startsWith("tunedModels/"))
      .map(moved),
    ...located,
    ...requestCases("anthropic")
      // Links are refused, and there are no settings of Anthropic's.
      .filter(({ settings, request }) => !settings && !JSON.stringify(request.body).includes('"url"'))
      .map(movedClaude),
  ],
  unsupported: [...unsupportedCases("gemini"), ...unsupportedCases("anthropic").map(ofClaude)],
  answers: [...answerCases("gemini"), ...answerCases("anthropic").map(ofClaude)],
  streams: [...streamCases("gemini"), traffic, ...streamCases("anthropic").map(ofClaude)],
  failures: [...failureCases("gemini"), ...failures, ...failureCases("anthropic").filter(isAnthropics)],
};
