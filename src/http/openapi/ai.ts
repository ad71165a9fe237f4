// What the OpenAPI document says of the AI endpoints: errors in OpenAI's shape, ours and those that a pool's members
// bring about, and the headers that tell who served a call.

import { type AiProblemCode, aiProblems } from "#contract/ai/openai-error.ts";
import type { Head } from "#http/call.ts";

type Json = Record<string, unknown>;

const errorSchema = { $ref: "#/components/schemas/OpenAiError" };

/** What the gate of the AI endpoints may answer. */
function poolProblems(head: Head): AiProblemCode[] {
  const always: AiProblemCode[] = ["invalid_api_key", "unavailable", "server_error"];
  if (head.body === undefined) return head.params === undefined ? always : [...always, "model_not_found"];
  return Object.keys(aiProblems).filter(
    (code): code is AiProblemCode => code !== "unknown_url" && code !== "method_not_allowed",
  );
}

/** What a pool's members may bring about. */
const poolFailures: Record<string, string> = {
  400: "A provider says that the request has a fault; the error is the provider's.",
  404: "No provider of the pool can serve what this request asks for; the error is a provider's.",
  413: "A provider says that the request is too large; the error is the provider's.",
  422: "A provider says that the request has a fault; the error is the provider's.",
  429: "Every provider is at its limit.",
  502: "No provider answered as it should; the most useful failure is told. `provider_denied`, with `x-should-retry: false`: they refuse the pool's own keys, balance or permission.",
  503: "No provider can take requests at the moment.",
  504: "No provider answered in time.",
};

/** Errors of the AI endpoints, by status. */
export function poolReplies(head: Head, usualHeaders: Json): Json {
  const lines = new Map<string, string[]>();
  const examples = new Map<string, Json>();
  const add = (status: string | number, line: string) =>
    lines.set(String(status), [...(lines.get(String(status)) ?? []), line]);
  for (const code of poolProblems(head)) {
    const { status, type, message, when } = aiProblems[code];
    add(status, `\`${code}\`: ${when}`);
    const value = { error: { message, type, param: null, code } };
    examples.set(String(status), { ...examples.get(String(status)), [code]: { value } });
  }
  if (head.body !== undefined) for (const [status, line] of Object.entries(poolFailures)) add(status, line);
  const entries = [...lines].map(([status, said]) => {
    const example = examples.get(status);
    const media = { schema: errorSchema, ...(example && { examples: example }) };
    return [
      status,
      {
        description: said.join("\n\n"),
        headers: { ...usualHeaders, ...headersOfStatus[status] },
        content: { "application/json": media },
      },
    ];
  });
  return Object.fromEntries(entries);
}

const textHeader = (description: string) => ({ description, schema: { type: "string" } });

/** Headers of AI answers, beside the request's id. */
const headersOfStatus: Record<string, Json> = {
  401: { "WWW-Authenticate": textHeader("`Bearer`.") },
  429: {
    "Retry-After": textHeader("When to try again, whole seconds."),
    "retry-after-ms": textHeader("The same in ms."),
  },
};

/** Of what a member answered. */
export const servedHeaders: Json = {
  "X-Service-Pool-Provider": textHeader("The member that answered."),
  "X-Service-Pool-Model": textHeader("The model that it was asked for."),
  "X-Service-Pool-Attempts": textHeader("Members tried; more than 1 after a failover."),
  "X-Service-Pool-Latency-Ms": textHeader("Time in the gateway up to the first byte of the answer."),
  ...Object.fromEntries(
    ["requests", "tokens"].flatMap((kind) => [
      [`x-ratelimit-limit-${kind}`, textHeader(`The key's ${kind} a minute, where it has such a limit.`)],
      [`x-ratelimit-remaining-${kind}`, textHeader("How many are left.")],
      [`x-ratelimit-reset-${kind}`, textHeader("When all are there again, such as `1s` or `6m0s`.")],
    ]),
  ),
};

/** The other form of a completion's answer. */
export const chatStream = {
  type: "string",
  description:
    "With `stream: true`: `chat.completion.chunk` objects as `data:` events, the last of them with `service_pool`, then `data: [DONE]`. A stream that breaks off ends with an event that holds an error object, and without `[DONE]`. Comments are sent in silences.",
};
