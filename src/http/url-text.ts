// Checks the text of paths and queries once before every route: PostgreSQL refuses a NUL in a text, SQLite accepts it, and neither contains
// anything with a control character in its name. Invalid UTF-8 in a path never gets here (the router answers as for a path that does not
// exist); in a query it becomes U+FFFD, which matches nothing either.

import type { IncomingMessage } from "node:http";
import { aiProblem } from "#contract/ai/openai-error.ts";
import { trimmed } from "#contract/normalise.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { sentences } from "#contract/wording.ts";
import type { Reply } from "#http/reply/response.ts";
import type { Head } from "./call.ts";
import { queryOf } from "./request.ts";

const unfit = /[\p{Cc}\p{Cs}\ufffd]/u;

/** Whether every part of the path can name something. */
export function isCleanPath(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (unfit.test(params[name]!)) return false;
  return true;
}

/** The family's answer to a path that matches nothing. */
export function unknownPathReply({ family, notFound }: Head): Reply {
  if (family === "pool") return aiProblem("unknown_url");
  return notFound ?? problem("not_found");
}

/**
 * The answer to a query with values that cannot be intended; null if there are none. Only parameters of the head are checked: callbacks
 * have their own parameters, which their adapters read. On channel endpoints, leading and trailing whitespace does not count.
 */
export function queryRefusal({ family, query }: Head, request: IncomingMessage): Reply | null {
  if (query === undefined || !request.url?.includes("?")) return null;
  const names = [...queryOf(request)]
    .filter(([name, value]) => {
      const text = family === "api_key" ? trimmed(value) : value;
      return Object.hasOwn(query.shape, name) && unfit.test(text);
    })
    .map(([name]) => name);
  const [first] = names;
  if (first === undefined) return null;
  if (family === "pool") {
    const message = `'${first}' must be text without control characters, in UTF-8.`;
    return aiProblem("invalid_value", { message, param: first });
  }
  const message = (name: string) =>
    family === "api_key" ? sentences.selected([name]) : "must be text without control characters, in UTF-8";
  return validationFailed([...new Set(names)].map((name) => ({ path: [name], message: message(name) })));
}
