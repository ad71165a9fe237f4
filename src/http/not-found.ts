// The answers to requests that match no route.

import type { IncomingMessage } from "node:http";
import { errorShapeAt, inShape, webSocketRefusal } from "#ai/apis/apis.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import { problem } from "#contract/problem.ts";
import { createDashboard } from "#http/pages/dashboard.ts";
import type { Reply } from "#http/reply/response.ts";
import { createUnknownPathSentence } from "#http/routes/ai/supported-paths.ts";
import { createAllow } from "./allow.ts";
import type { Endpoint } from "./endpoint.ts";
import { suggestPath } from "./neighbours.ts";

/** Whether an OpenAI client sent the request, in any spelling of the path: such clients read only OpenAI's errors. */
export const isAi = (target?: string): boolean => isBelow(target, "ai");

/** Whether a client of Twilio's API sent the request: such clients read only Twilio's errors. */
export const isTwilio = (target?: string): boolean => isBelow(target, "twilio");

/** Whether a client of Resend's API sent the request: such clients read only Resend's errors. */
export const isResend = (target?: string): boolean => isBelow(target, "resend");

function isBelow(target = "", name: string): boolean {
  const [, api = "", next = ""] = target.replace(/^https?:\/\/[^/?#]*/i, "").split(/[/?#]/, 3);
  try {
    return decodeURIComponent(api) === "api" && decodeURIComponent(next) === name;
  } catch {
    return false;
  }
}

function asksForSocket({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/** Answers a request that matches no endpoint: with a page of the dashboard, or with an error that suggests similar paths. */
export function createNotFound(
  endpoints: readonly Endpoint[],
  dashboardFolder: string | null,
): (request: IncomingMessage, requestId: string) => Reply {
  const allow = createAllow(endpoints);
  const unknownPathSentence = createUnknownPathSentence(endpoints.map(({ head }) => head));
  const dashboard = dashboardFolder === null ? null : createDashboard(dashboardFolder);
  return (request, requestId) => {
    const page = dashboard?.(request) ?? null;
    if (page !== null) return page;
    const { method = "", url = "", headers } = request;
    const methods = allow(method, url);
    if (isAi(url)) {
      const refusal = asksForSocket(request) ? webSocketRefusal(url) : null;
      if (refusal !== null) return refusal;
      const answer =
        methods === null
          ? aiProblem("unknown_url", { message: unknownPathSentence(url, headers) })
          : aiProblem("method_not_allowed", { allow: methods });
      return inShape(errorShapeAt(url, headers), answer, requestId);
    }
    if (methods !== null) return problem("method_not_allowed", { allow: methods });
    const suggestion = suggestPath(url);
    if (suggestion === null) return problem("not_found");
    const message = `Not found. ${suggestion.sentence}`;
    // Clients that call these paths read only OpenAI's errors.
    return suggestion.ai ? aiProblem("unknown_url", { message }) : problem("not_found", { message });
  };
}
