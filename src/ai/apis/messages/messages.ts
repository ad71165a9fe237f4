// Anthropic's Messages API, for Claude Code and Anthropic's clients.

import type { ApiRequest, ChatForm } from "#ai/apis/api-request.ts";
import type { ClientApiRow } from "#ai/apis/client-api.ts";
import { forwardedHeaders } from "#ai/apis/forwarded-headers.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { chunksIn, errorIn, objectsIn } from "#ai/stream/recorded.ts";
import { withMembers } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import { foldedMessage } from "#providers/anthropic/fold.ts";
import { parseJson } from "#providers/translate/json.ts";
import { type MessageRules, messageOf } from "./answer.ts";
import { anthropicErrors, requestIdHeader } from "./error-shape.ts";
import { chatOfMessages } from "./request.ts";
import {
  countTokensReply,
  countTokensRequest,
  messagesReply,
  messagesRequest,
  readCounted,
  readMessages,
} from "./shapes.ts";
import { ForwardedMessageWriter, MessageWriter, messageErrorFrame, messagePing } from "./stream.ts";

/** Dropped for a member that refuses them: reasoning effort and sampling parameters. */
const optional: ReadonlySet<string> = new Set([
  "reasoning_effort",
  "parallel_tool_calls",
  "temperature",
  "top_p",
  "top_k",
]);

/**
 * Maximum number of answer tokens that are reserved: the API requires a limit, so clients send the highest that the model allows instead of
 * what they expect.
 */
const maxReserved = 4_096;

/** `stem`: letters, digits, `_` and `-`; unique to the request. */
export function createMessagesRequest(
  request: { text: string; body: Readonly<Record<string, unknown>>; headers: Record<string, string> },
  stem: string,
): ApiRequest {
  const { text, body, headers } = request;
  const { thinking: asked } = body;
  const signed = isObject(asked) && asked.type !== "disabled";
  const thinking = signed && asked.display !== "omitted";
  const names = new ToolNames();
  const leftOut: string[] = [];
  let chat: ReturnType<ApiRequest["chat"]> | null = null;
  const named = (model: string, maker?: string): MessageRules => ({
    model,
    ...(maker === undefined ? {} : { maker }),
    stem,
    thinking,
    signed,
    names,
  });
  return {
    format: "messages",
    headers,
    estimated: estimatedOf(body),
    parameters: null,
    optional,
    echoesModel: true,
    chat: (): ReturnType<ApiRequest["chat"]> => {
      chat ??= chatOfMessages(text, names, leftOut);
      return chat;
    },
    leftOut: () => leftOut,
    answer: (answer, forwarded, { model, maker, served }) =>
      withMembers(forwarded ? answer : messageOf(answer, named(model, maker)), {
        model: JSON.stringify(model),
        service_pool: JSON.stringify(served),
      }),
    writer: ({ model, maker, promptTokens, served }, forwarded) =>
      forwarded
        ? new ForwardedMessageWriter(model, served)
        : new MessageWriter({ ...named(model, maker), promptTokens, served }),
    failed: messageErrorFrame,
    keepAlive: messagePing,
  };
}

/** The parts of the request under their chat completion names, otherwise unchanged. */
export function estimatedOf(body: Readonly<Record<string, unknown>>): ChatForm["body"] {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const { system, tools, max_tokens: limit } = body;
  return {
    messages: system === undefined || system === null ? messages : [{ content: system }, ...messages],
    ...(tools === undefined ? {} : { tools }),
    max_tokens: typeof limit === "number" ? Math.min(limit, maxReserved) : undefined,
  };
}

const forwardedNames: ReadonlySet<string> = new Set([
  "anthropic-version",
  "anthropic-beta",
  "x-client-request-id",
  "x-app",
]);
const forwardedPrefixes: readonly string[] = ["x-claude-code-"];

const example = { messages: [{ role: "user", content: "Hello!" }] };

/** Assembles the message from a stream's events, as far as they arrived. */
function joinedMessage(text: string): object {
  const chunks = chunksIn(text);
  const message = parseJson(foldedMessage(chunks).text);
  return { ...(isObject(message) ? message : {}), ...errorIn(objectsIn(chunks)) };
}

export const messagesApi: ClientApiRow = {
  path: "/api/ai/v1/messages",
  operations: [
    {
      path: "/api/ai/v1/messages",
      name: "createMessage",
      summary: "Create a message",
      description:
        "This is Anthropic's operation. Members that speak Anthropic's Messages API get the request as it came, with its beta headers; for others it is translated, and `X-Service-Pool-Adapted` names what they were not sent. The key may also be sent in `x-api-key`. With `stream: true` the reply is a stream of Anthropic's events. Errors have Anthropic's shape.",
      body: messagesRequest,
      reply: messagesReply,
      example: { max_tokens: 1024, ...example },
      stream:
        "With `stream: true`: Anthropic's events, each with its `event:` line. A stream that fails ends with an `error` event, and without `message_stop`. `ping` events keep the connection alive.",
      deferrable: true,
      read: readMessages,
    },
    {
      path: "/api/ai/v1/messages/count_tokens",
      name: "countMessageTokens",
      summary: "Count the tokens of a message",
      description:
        "This is Anthropic's operation. The member that would be called first counts, if it can; otherwise the number is an estimate. Nothing of it counts against the key's limits or budget.",
      body: countTokensRequest,
      reply: countTokensReply,
      example,
      counts: (tokens) => ({ input_tokens: tokens }),
      read: readCounted,
    },
  ],
  errorShape: anthropicErrors,
  requestIdHeader,
  clientHeader: "anthropic-version",
  joinAnswer: joinedMessage,
  spanOperation: "chat",
  request: ({ text, body }, { headers, stem }) =>
    createMessagesRequest(
      { text, body, headers: forwardedHeaders(headers, forwardedNames, forwardedPrefixes) },
      stem,
    ),
};
