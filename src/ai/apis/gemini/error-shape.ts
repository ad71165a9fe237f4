// The shape of Google's errors, with the statuses that its clients react to. Source: cloud.google.com/apis/design/errors,
// ai.google.dev/gemini-api/docs/troubleshooting

import type { ErrorShape } from "#ai/apis/client-api.ts";
import { geminiErrorReply } from "./shapes.ts";

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
  529: "UNAVAILABLE",
};

/** Google's name for a status. */
export function geminiStatus(status: number): string {
  return statuses[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
}

/** Our own message describes where OpenAI clients put the key. */
const wrongKey =
  "The pool key is missing or not valid. Send it in the x-goog-api-key header, as `?key=` in the URL, or as a Bearer token in the Authorization header.";

export const geminiErrors: ErrorShape = {
  name: "Gemini",
  schema: geminiErrorReply,
  shaped: ({ status, headers, body }, { code, message }) => {
    const { error: _error, ...beside } = body as { error: unknown };
    const own = code === "invalid_api_key" ? wrongKey : message;
    return {
      problem: true,
      status,
      ...(headers === undefined ? {} : { headers }),
      body: { error: { code: status, message: own, status: geminiStatus(status) }, ...beside },
    };
  },
};
