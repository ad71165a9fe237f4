// What the OpenAPI document says about the AI endpoints: errors in OpenAI's shape, both Trunkline's own and those that a
// pool's members cause, and the headers that name the member and the key's limits.

import { errorShapeOf, inShape } from "#ai/apis/apis.ts";
import type { ErrorShape } from "#ai/apis/client-api.ts";
import { type AiProblemCode, aiErrorReply, aiProblems } from "#contract/ai/openai-error.ts";
import type { Head } from "#http/call.ts";
import { headerReferences, type Share } from "./errors.ts";
import { type Json, schemaOf } from "./schemas.ts";

/** Errors that not every endpoint with a body has. */
const notOfAll: ReadonlySet<string> = new Set<AiProblemCode>([
  "unknown_url",
  "method_not_allowed",
  "completion_not_found",
  "completion_ended",
  "too_many_deferred",
]);

/** The errors that the gate of the AI endpoints causes, and the endpoint's own. */
function poolProblems(head: Head): AiProblemCode[] {
  const always: AiProblemCode[] = ["invalid_api_key", "unavailable", "server_error"];
  if (head.query !== undefined) always.push("invalid_value");
  const own = head.aiProblems ?? [];
  if (head.body === undefined) return [...always, ...own];
  const gate = Object.keys(aiProblems).filter((code): code is AiProblemCode => !notOfAll.has(code));
  return [...gate, ...own];
}

/** The errors that a pool's members cause. */
const poolFailures: Record<string, string> = {
  400: "A provider rejected the request. The error is the provider's.",
  404: "No provider of the pool can serve the request. The error is a provider's.",
  413: "A provider rejected the request as too large. The error is the provider's.",
  422: "A provider rejected the request. The error is the provider's.",
  429: "Every provider is at its limit.",
  502: "Every provider failed. The reply has the most useful failure. `provider_denied`, with `x-should-retry: false`: the providers refused the pool's own keys, balance or permission.",
  503: "No provider can take requests at the moment.",
  504: "No provider answered in time.",
};

const headersOfStatus: Record<string, string[]> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After", "retry-after-ms"],
  503: ["Retry-After"],
};

/** The reason phrases of RFC 9110, as names. */
const reasons: Record<string, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  404: "NotFound",
  408: "RequestTimeout",
  409: "Conflict",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableContent",
  429: "TooManyRequests",
  500: "InternalServerError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
};

/** The name of an error reply: its shape, its status, and whether the members of a pool may cause it. */
function nameOf(shape: ErrorShape, status: string, completes: boolean): string {
  return `Ai${shape.name}${completes && poolFailures[status] !== undefined ? "Completion" : ""}${reasons[status] ?? status}`;
}

/** The errors of an AI endpoint, by status. */
export function poolReplies(head: Head, share: Share): Json {
  const completes = head.body !== undefined;
  const shape = errorShapeOf(head.path);
  const lines = new Map<string, string[]>();
  const examples = new Map<string, Json>();
  const add = (status: string, line: string) => lines.set(status, [...(lines.get(status) ?? []), line]);
  for (const code of poolProblems(head)) {
    const { status, type, message, when } = aiProblems[code];
    add(String(status), `\`${code}\`: ${when}`);
    const error = { message, type, param: null, code };
    const value = inShape(shape, aiErrorReply(status, error), "req_01jgwkz5y2m8q4v7c9d3f6h1kn").body;
    examples.set(String(status), { ...examples.get(String(status)), [code]: { value } });
  }
  if (completes) for (const [status, line] of Object.entries(poolFailures)) add(status, line);
  const entries = [...lines].map(([status, descriptions]) => {
    const example = examples.get(status);
    const response = {
      description: descriptions.join("\n\n"),
      headers: headerReferences(...(headersOfStatus[status] ?? [])),
      content: {
        "application/json": { schema: schemaOf(shape.schema), ...(example && { examples: example }) },
      },
    };
    const isOwn = head.aiProblems?.some((code) => String(aiProblems[code].status) === status) ?? false;
    const name = nameOf(shape, status, completes);
    return [
      status,
      share(isOwn ? `${name}Of${head.name[0]?.toUpperCase()}${head.name.slice(1)}` : name, response),
    ];
  });
  return Object.fromEntries(entries);
}

const header = (description: string, type: "string" | "integer" | "number" = "string"): Json => ({
  description,
  schema: { type },
});

/** Headers of errors besides those of all families. */
export const errorHeaders: Record<string, Json> = {
  "WWW-Authenticate": header("`Bearer`."),
  "retry-after-ms": header("When to try again, in ms.", "integer"),
};

/** Headers of a completion: the member that served it, and the key's limits. */
export const servedHeaders: Record<string, Json> = {
  "X-Service-Pool-Provider": header("The member that answered."),
  "X-Service-Pool-Model": header("The model that the member was called with."),
  "X-Service-Pool-Attempts": header(
    "The number of members tried. It is above 1 after a failover.",
    "integer",
  ),
  "X-Service-Pool-Latency-Ms": header(
    "The time in the gateway up to the first byte of the answer.",
    "number",
  ),
  "X-Service-Pool-Cost": header(
    "What the call cost, in the currency of the members' prices; of whole answers whose price is known.",
    "number",
  ),
  "X-Service-Pool-Cache": header(
    "`hit`: the answer to an earlier equal request. `miss`: a member was asked. Of pools with a `cache`.",
  ),
  "X-Service-Pool-Adapted": header(
    "The parameters and parts of the request that the member was not sent because it does not take them, or under another name.",
  ),
  ...Object.fromEntries(
    ["requests", "tokens"].flatMap((kind) => [
      [
        `x-ratelimit-limit-${kind}`,
        header(`The key's limit of ${kind} per minute, if it has one.`, "integer"),
      ],
      [`x-ratelimit-remaining-${kind}`, header(`The ${kind} that are left.`, "integer")],
      [`x-ratelimit-reset-${kind}`, header("When the limit is full again, such as `1s` or `6m0s`.")],
    ]),
  ),
};
