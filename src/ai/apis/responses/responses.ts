// OpenAI's Responses API, for Codex and OpenAI's newer clients. Only responses that run in the background are stored.

import type { ApiRequest, ChatForm } from "#ai/apis/api-request.ts";
import type { ClientApiRow, Received } from "#ai/apis/client-api.ts";
import { forwardedHeaders } from "#ai/apis/forwarded-headers.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { aiErrorReply } from "#contract/ai/openai-error.ts";
import { withMembers } from "#contract/json-text.ts";
import { type ResponseRules, responseOf } from "./answer.ts";
import { joinedResponse } from "./joined.ts";
import { chatOfResponses } from "./request.ts";
import {
  countInputReply,
  countInputRequest,
  readCountedInput,
  readResponses,
  responsesReply,
  responsesRequest,
} from "./shapes.ts";
import { ForwardedResponseWriter, ResponseWriter, responseFailed, Sequence } from "./stream.ts";

/** Dropped for a member that refuses them: reasoning effort and sampling parameters. */
const optional: ReadonlySet<string> = new Set([
  "reasoning_effort",
  "parallel_tool_calls",
  "temperature",
  "top_p",
]);

/** `stem`: letters, digits, `_` and `-`; unique to the request. `created`: epoch seconds. `background`: no client waits. */
export function createResponsesRequest(
  request: { text: string; body: Readonly<Record<string, unknown>>; headers: Record<string, string> },
  stem: string,
  created: number,
  background = false,
): ApiRequest {
  const { text, body, headers } = request;
  const names = new ToolNames();
  const sequence = new Sequence();
  const leftOut: string[] = [];
  let chat: ReturnType<ApiRequest["chat"]> | null = null;
  const named = (model: string, maker?: string): ResponseRules => ({
    model,
    ...(maker === undefined ? {} : { maker }),
    created,
    stem,
    names,
    body,
    background,
  });
  return {
    format: "responses",
    headers,
    estimated: estimatedOf(body),
    parameters: null,
    optional,
    echoesModel: true,
    chat: (): ReturnType<ApiRequest["chat"]> => {
      chat ??= chatOfResponses(text, names, leftOut);
      return chat;
    },
    leftOut: () => leftOut,
    answer: (answer, forwarded, { model, maker, served }) =>
      withMembers(forwarded ? answer : responseOf(answer, named(model, maker)), {
        model: JSON.stringify(model),
        // It cannot be found here under the member's own id.
        ...(background ? { id: JSON.stringify(`resp_${stem}`), background: "true" } : {}),
        service_pool: JSON.stringify(served),
      }),
    writer: ({ model, maker, served }, forwarded) =>
      forwarded
        ? new ForwardedResponseWriter(named(model), sequence, served)
        : new ResponseWriter(named(model, maker), sequence, served),
    failed: (error) =>
      responseFailed(sequence, named(typeof body.model === "string" ? body.model : ""), error),
    keepAlive: () => sequence.keepAlive(),
  };
}

/** The parts of the request under their chat completion names, otherwise unchanged. */
export function estimatedOf(body: Readonly<Record<string, unknown>>): ChatForm["body"] {
  const { input, instructions, tools, max_output_tokens: limit } = body;
  const items: unknown[] = Array.isArray(input) ? input : [{ content: input }];
  return {
    messages:
      instructions === undefined || instructions === null ? items : [{ content: instructions }, ...items],
    ...(tools === undefined ? {} : { tools }),
    ...(typeof limit === "number" ? { max_tokens: limit } : {}),
  };
}

const forwardedNames: ReadonlySet<string> = new Set([
  "openai-beta",
  "session-id",
  "thread-id",
  "x-client-request-id",
  "originator",
]);
const forwardedPrefixes: readonly string[] = ["x-openai-internal-", "x-codex-"];

/** The client headers that are forwarded to members that have the API. */
export const responsesHeaders = (headers: Received["headers"]): Record<string, string> =>
  forwardedHeaders(headers, forwardedNames, forwardedPrefixes);

export const responsesApi: ClientApiRow = {
  path: "/api/ai/v1/responses",
  operations: [
    {
      path: "/api/ai/v1/responses",
      name: "createResponse",
      summary: "Create a response",
      description:
        "This is OpenAI's operation. Members that have OpenAI's Responses API get the request as it came; for others it is translated, and `X-Service-Pool-Adapted` names what they were not sent. `store` is answered `false`, and `input` has the whole conversation. With `background: true` the reply is a response that is `queued`: it is served by itself, and `GET /api/ai/v1/responses/{response}` has its answer. With `stream: true` the reply is a stream of OpenAI's events.",
      body: responsesRequest,
      reply: responsesReply,
      example: { input: "Hello!" },
      stream:
        "With `stream: true`: OpenAI's events, each with its `event:` line. The last one is `response.completed` or `response.incomplete`; a stream that fails ends with `response.failed`. `keepalive` events keep the connection alive, comments until the first event.",
      deferrable: true,
      read: readResponses,
    },
    {
      path: "/api/ai/v1/responses/input_tokens",
      name: "countResponseTokens",
      summary: "Count the tokens of a request",
      description:
        "This is OpenAI's operation. The member that would be called first counts, if it can; otherwise the number is an estimate. Nothing of it counts against the key's limits or budget.",
      body: countInputRequest,
      reply: countInputReply,
      example: { input: "Hello!" },
      counts: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
      read: readCountedInput,
    },
  ],
  // Codex requests a WebSocket if its configuration says that there are some. After a 426 it continues without; any other status costs it
  // seven attempts.
  webSocketRefusal: aiErrorReply(
    426,
    {
      message: "There are no WebSockets here; send a POST.",
      type: "invalid_request_error",
      param: null,
      code: "websocket_not_supported",
    },
    { headers: { Upgrade: "HTTP/2.0", Connection: "Upgrade" } },
  ),
  codes: {
    websocket_not_supported: ["426", "A WebSocket was asked for at `/api/ai/v1/responses`; there are none."],
  },
  joinAnswer: joinedResponse,
  spanOperation: "chat",
  request: ({ text, body }, { headers, stem, created, isDeferred }) =>
    createResponsesRequest({ text, body, headers: responsesHeaders(headers) }, stem, created, isDeferred),
};
