// The client APIs for completions. To add one, create a folder next to this file, a name in `clientFormats` and a row here.

import { openaiErrorReply } from "#contract/ai/chat-shapes.ts";
import type { OpenAiError } from "#contract/ai/openai-error.ts";
import { type ClientFormat, clientFormats } from "#contract/ai/operations.ts";
import { isObject } from "#contract/normalise.ts";
import type { Problem } from "#contract/problem.ts";
import { chatCompletions } from "./chat-completions/chat-completions.ts";
import type { ClientApi, ClientApiRow, ErrorShape, Received } from "./client-api.ts";
import { completionsApi } from "./completions/completions.ts";
import { geminiApi } from "./gemini/gemini.ts";
import { messagesApi } from "./messages/messages.ts";
import { compactionApi } from "./responses/compaction.ts";
import { responsesApi } from "./responses/responses.ts";

const rows: Readonly<Record<ClientFormat, ClientApiRow>> = {
  chat_completions: chatCompletions,
  messages: messagesApi,
  responses: responsesApi,
  gemini: geminiApi,
  completions: completionsApi,
  compaction: compactionApi,
};

export const clientApiOf = (format: ClientFormat): ClientApiRow => rows[format];

export const clientApis: readonly ClientApi[] = clientFormats.map((format) => ({ format, ...rows[format] }));

const openaiErrors: ErrorShape = { name: "", schema: openaiErrorReply, shaped: (problem) => problem };

/** Returns the API at a path, which may include a query. */
function apiAt(target: string): ClientApi | undefined {
  const [asked = ""] = target.split(/[?#]/, 1);
  return clientApis.find(
    ({ path, alsoAt }) => asked === path || asked.startsWith(`${path}/`) || alsoAt?.test(asked) === true,
  );
}

/** The error shape at a path, which may include a query. If no API has the path, it is OpenAI's. */
export const errorShapeOf = (target: string): ErrorShape => apiAt(target)?.errorShape ?? openaiErrors;

/** The error shape for a path that does not exist: that of the API at the path, or otherwise of the client that sent the request. */
export function errorShapeAt(target: string, headers: Received["headers"]): ErrorShape {
  const own = errorShapeOf(target);
  if (own !== openaiErrors) return own;
  const api = clientApis.find(
    ({ clientHeader }) => clientHeader !== undefined && headers[clientHeader] !== undefined,
  );
  return api?.errorShape ?? own;
}

/** The key in a target's query, if the API at its path accepts keys there; null if there is none. */
export function keyInQuery(target: string): string | null {
  const name = apiAt(target)?.keyParameter;
  const [, query] = /^[^?#]*\?([^#]*)/.exec(target) ?? [];
  return name === undefined || query === undefined ? null : new URLSearchParams(query).get(name);
}

/** The error in that shape. A problem whose body is not OpenAI's error object is returned unchanged. */
export function inShape(shape: ErrorShape, problem: Problem, requestId: string): Problem {
  const error = "error" in problem.body ? problem.body.error : null;
  return isOpenAiError(error) ? shape.shaped(problem, error, requestId) : problem;
}

const isOpenAiError = (value: unknown): value is OpenAiError =>
  isObject(value) && typeof value.message === "string" && typeof value.type === "string";

/** The answer to a WebSocket request at an API that explains why it has none; null for every other target. */
export function webSocketRefusal(target: string): Problem | null {
  const path = (target.split("?", 1)[0] ?? "").replace(/\/$/, "");
  return clientApis.find((api) => api.path === path)?.webSocketRefusal ?? null;
}
