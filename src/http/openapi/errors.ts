// The error replies of the OpenAPI document. Each combination of errors under one status is one shared response, named
// by its codes, which the operations refer to.

import type { z } from "zod";
import { type ProblemCode, problems } from "#contract/problem.ts";
import { problemReply, refusalReply, validationReply } from "#contract/replies.ts";
import { scopeOf } from "#http/auth/token-scopes.ts";
import type { Head } from "#http/call.ts";
import { componentName, type Json, schemaOf } from "./schemas.ts";

/** Keeps a response among the components, and returns the reference to it. */
export type Share = (name: string, response: Json) => Json;

/** A collection of shared responses. One name always means one response. */
export function sharedResponses(): { responses: Record<string, Json>; share: Share } {
  const responses: Record<string, Json> = {};
  return {
    responses,
    share(name, response) {
      const known = responses[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(response))
        throw new Error(`Two different responses are called ${name}.`);
      responses[name] = response;
      return { $ref: `#/components/responses/${name}` };
    },
  };
}

export function headerReferences(...names: string[]): Json {
  return Object.fromEntries(
    ["X-Request-Id", ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

const pascal = (code: string) =>
  code
    .split("_")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");

/** The headers of a status besides those of every reply. */
const headersOfStatus: Record<number, string> = {
  401: "WWW-Authenticate",
  429: "Retry-After",
  503: "Retry-After",
};

/** The problems of an endpoint, by status. */
export function problemReplies(codes: Iterable<ProblemCode>, share: Share): Json {
  const expected = new Set(codes);
  const sorted = (Object.keys(problems) as ProblemCode[]).filter((code) => expected.has(code));
  const byStatus = Map.groupBy(sorted, (code) => problems[code].status);
  const entries = [...byStatus].map(([status, group]) => {
    const examples = group.map((code) => {
      const { message } = problems[code];
      return [code, { value: { success: false, message, code } }];
    });
    const response = {
      description: group.map((code) => `\`${code}\`: ${problems[code].when}`).join("\n\n"),
      headers: headerReferences(...[headersOfStatus[status] ?? []].flat()),
      content: {
        "application/json": { schema: schemaOf(problemReply), examples: Object.fromEntries(examples) },
      },
    };
    return [status, share(group.map(pascal).join("Or"), response)];
  });
  return Object.fromEntries(entries);
}

/** The reply to a body or query that fails validation. */
export function validationFailure(share: Share): Json {
  const response = {
    description: "The request fails validation.",
    headers: headerReferences(),
    content: { "application/json": { schema: schemaOf(validationReply) } },
  };
  return { 422: share("ValidationFailed", response) };
}

/** The reply to a refused key of a channel endpoint. */
export function keyRefusal(share: Share): Json {
  const response = {
    description:
      "The API key is missing or wrong, the account's plan has expired, or a named key lacks the scope. Authentication comes before everything else about a request.",
    headers: headerReferences(),
    content: { "application/json": { schema: schemaOf(refusalReply) } },
  };
  return { 403: share("ApiKeyRefused", response) };
}

/** An error reply that the head itself describes, such as a callback's. */
export function ownErrorReply(status: string, schema: z.ZodType, type: string, share: Share): Json {
  const { title, description = "The request failed." } = schema.meta() ?? {};
  const name = componentName(schema) ?? title;
  if (name === undefined) throw new Error(`The reply ${status} "${description}" needs an id or a title.`);
  const media =
    componentName(schema) === undefined ? { schema: { type: "string" } } : { schema: schemaOf(schema) };
  return share(name, { description, headers: headerReferences(), content: { [type]: media } });
}

/** The problems of a channel endpoint besides those of its head. */
export function keyProblems({ method }: Head): ProblemCode[] {
  const codes: ProblemCode[] = ["rate_limited", "server_error", "unavailable"];
  return method === "GET" ? codes : [...codes, "commit_unknown"];
}

/** The problems of a management endpoint besides those of its head. */
export function gateProblems(head: Head): ProblemCode[] {
  const changes = head.method !== "GET";
  const codes: ProblemCode[] = ["rate_limited", "unavailable", "server_error"];
  if (head.scope !== "anonymous") codes.push("unauthenticated");
  if (head.scope === "installation" || changes || scopeOf(head) !== null) codes.push("forbidden");
  if (head.scope === "account") codes.push("not_found");
  if (changes) codes.push("commit_unknown");
  if (head.body !== undefined)
    codes.push("malformed_body", "request_timeout", "body_too_large", "unsupported_media_type");
  return codes;
}
