// The OpenAPI 3.1 document, made from the same heads and zod schemas that route and check requests.

import { z } from "zod";
import { clientApis } from "#ai/apis/apis.ts";
import { scopeOf } from "#http/auth/token-scopes.ts";
import type { Head } from "#http/call.ts";
import { endpoints } from "#http/endpoints.ts";
import { errorHeaders, poolReplies, servedHeaders } from "./ai.ts";
import { requestBodyOf } from "./bodies.ts";
import {
  gateProblems,
  headerReferences,
  keyProblems,
  keyRefusal,
  ownErrorReply,
  problemReplies,
  type Share,
  sharedResponses,
  validationFailure,
} from "./errors.ts";
import { componentName, type Json, namedSchemas, schemaOf, usedNames } from "./schemas.ts";
import { tags } from "./tags.ts";
import { webhookEntries, webhookHeaders, webhookResponses } from "./webhooks.ts";

/** The schema of a value that is present, and whether it is required. In a URL or a header nothing is null. */
function withoutNull(schema: z.ZodType): { required: boolean; schema: z.ZodType } {
  const required = !schema.safeParse(undefined).success;
  let bare = schema;
  while (bare instanceof z.ZodOptional || bare instanceof z.ZodNullable) bare = bare.unwrap() as z.ZodType;
  return { required, schema: bare };
}

function parameter(place: "path" | "query" | "header", name: string, schema: z.ZodType): Json {
  const { required, schema: bare } = withoutNull(schema);
  const { description: _shown, ...rest } = schemaOf(bare, "output");
  return {
    name,
    in: place,
    required: place === "path" || required,
    description: schema.description,
    schema: rest,
  };
}

function parametersOf({ params = {}, query, headers = {} }: Head): Json[] {
  return [
    ...Object.entries(params).map(([name, schema]) => parameter("path", name, schema)),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) =>
      parameter("query", name, schema as z.ZodType),
    ),
    ...Object.entries(headers).map(([name, schema]) => parameter("header", name, schema)),
  ];
}

/** How many operations have a parameter before it is written once for all of them. */
const sharedFrom = 3;

/** Replaces the parameters that several operations have by references, and returns those. */
function sharedParameters(operations: readonly Json[]): Record<string, Json> {
  const lists = operations.flatMap(({ parameters }) =>
    parameters === undefined ? [] : [parameters as Json[]],
  );
  const uses = Map.groupBy(lists.flat(), (each) => JSON.stringify(each));
  const shared: Record<string, Json> = {};
  const references = new Map<string, Json>();
  // Of two that are called alike, the one that more operations have gets the name.
  for (const [text, [first, ...more]] of [...uses].sort(([, a], [, b]) => b.length - a.length)) {
    const name = String(first?.name);
    if (first === undefined || more.length + 1 < sharedFrom || shared[name] !== undefined) continue;
    shared[name] = first;
    references.set(text, { $ref: `#/components/parameters/${name}` });
  }
  for (const list of lists)
    for (const [at, each] of list.entries()) list[at] = references.get(JSON.stringify(each)) ?? each;
  return shared;
}

/** Replaces the answers that two AI operations have alike, such as those of two versions of an API, by references. */
function shareAnswers(operations: readonly (readonly [Head, Json])[], share: Share): void {
  const answers = operations.flatMap(([{ family, name }, { responses }]) => {
    const all = responses as Record<string, Json>;
    return family === "pool" && all["200"] !== undefined ? [{ name, all, answer: all["200"] }] : [];
  });
  for (const [first, ...more] of Map.groupBy(answers, ({ answer }) => JSON.stringify(answer)).values()) {
    if (first === undefined || more.length === 0) continue;
    const name = `${first.name[0]?.toUpperCase()}${first.name.slice(1)}Answer`;
    for (const { all, answer } of [first, ...more]) all["200"] = share(name, answer);
  }
}

/** Whether what the endpoint creates can be read at a path of its own. */
function hasLocation({ path }: Head): boolean {
  return endpoints.some(
    ({ head }) =>
      head.method === "GET" &&
      head.path.startsWith(`${path}/{`) &&
      !head.path.slice(path.length + 1).includes("/"),
  );
}

const successes: Record<string, string> = {
  200: "The operation succeeded.",
  201: "The resource was created.",
  202: "The operation has begun.",
  204: "The operation succeeded, with no body.",
};

/** Replies that may also come as streams. */
const streams = new Map<z.ZodType, Json>(
  clientApis
    .flatMap(({ operations }) => operations)
    .flatMap(({ reply, stream }) => (stream ? [[reply, { type: "string", description: stream }]] : [])),
);

function successReply(head: Head, status: string, schema: z.ZodType): Json {
  const description = schema.description ?? successes[status] ?? "The request was answered.";
  if (status === "204") return { description: successes[status], headers: headerReferences() };
  if (head.replyType === undefined && componentName(schema) === undefined)
    throw new Error(`The reply ${status} of ${head.name} needs an id in its metadata.`);
  const names =
    head.family === "pool" && head.body !== undefined
      ? Object.keys(servedHeaders)
      : status === "201" && hasLocation(head)
        ? ["Location"]
        : [];
  const media = { schema: head.replyType === undefined ? schemaOf(schema) : { type: "string" } };
  const content = {
    [head.replyType ?? "application/json"]: media,
    ...Object.fromEntries((head.otherReplyTypes ?? []).map((type) => [type, { schema: { type: "string" } }])),
    ...(streams.has(schema) ? { "text/event-stream": { schema: streams.get(schema) } } : {}),
  };
  return { description, headers: headerReferences(...names), content };
}

function repliesOf(head: Head, share: Share): Json {
  const described = Object.entries(head.replies).map(([status, schema]) => [
    status,
    Number(status) < 400
      ? successReply(head, status, schema)
      : ownErrorReply(status, schema, head.replyType ?? "application/json", share),
  ]);
  const replies = Object.fromEntries(described) as Json;
  const validation = head.body === undefined && head.query === undefined ? {} : validationFailure(share);
  switch (head.family) {
    case "open":
      return { ...problemReplies([...(head.problems ?? []), "server_error"], share), ...replies };
    case "pool":
      return { ...replies, ...poolReplies(head, share) };
    case "manage":
      return {
        ...replies,
        ...validation,
        ...problemReplies([...(head.problems ?? []), ...gateProblems(head)], share),
      };
    case "api_key":
      return {
        ...replies,
        ...keyRefusal(share),
        ...validation,
        ...problemReplies([...(head.problems ?? []), ...keyProblems(head)], share),
      };
  }
}

/** Any one of these credentials opens the endpoint; an empty list: it is open. */
function securityOf(head: Head): Json[] {
  if (head.family === "api_key") return [{ apiKeyHeader: [] }, { apiKeyQuery: [] }];
  if (head.family === "pool") return [{ poolKey: [] }];
  if (head.family === "manage" && head.scope !== "anonymous")
    return [{ managementToken: [scopeOf(head) ?? []].flat() }, { session: [] }];
  return [];
}

function operationOf(head: Head, share: Share, requestBody: Json | undefined): Json {
  const parameters = parametersOf(head);
  return {
    operationId: head.name,
    tags: [head.tag],
    summary: head.summary,
    ...(head.description === undefined ? {} : { description: head.description }),
    security: securityOf(head),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: repliesOf(head, share),
  };
}

const headers: Record<string, Json> = {
  "X-Request-Id": {
    description: "The id of the request. Please quote it when you ask about a request.",
    schema: { type: "string" },
  },
  "Retry-After": { description: "When to try again, in whole seconds.", schema: { type: "integer" } },
  Location: { description: "The path of the new resource.", schema: { type: "string" } },
  ...errorHeaders,
  ...servedHeaders,
};

const securitySchemes: Json = {
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "Api-key",
    description: "The account's API key. A POST may carry it in the body instead, as `api_key`.",
  },
  apiKeyQuery: { type: "apiKey", in: "query", name: "api_key" },
  poolKey: { type: "http", scheme: "bearer", description: "A key of an AI pool (`tlp_…`)." },
  managementToken: {
    type: "http",
    scheme: "bearer",
    description:
      "A management token (`tlm_…`): an operator's, or a member's for one account. An operation names the scope that a token with scopes needs.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-trunkline",
    description:
      "The cookie that signing in sets. It is called `trunkline` where the public address is not https. A request that changes something must also carry the session's `csrf_token` in the header `X-CSRF-Token`, and must come from the installation's own pages.",
  },
};

/** The OpenAPI document of all endpoints. */
export function openapiDocument(): Json {
  const { responses, share } = sharedResponses();
  const schemas = namedSchemas();
  const paths: Record<string, Json> = {};
  const operations: [Head, Json][] = [];
  for (const { head } of endpoints) {
    const body = head.body && requestBodyOf(head, head.body);
    Object.assign(schemas, body?.schemas);
    const operation = operationOf(head, share, body?.requestBody);
    operations.push([head, operation]);
    paths[head.path] = { ...paths[head.path], [head.method.toLowerCase()]: operation };
  }
  shareAnswers(operations, share);
  const parameters = sharedParameters(operations.map(([, operation]) => operation));
  const webhooks = webhookEntries();
  const used = usedNames([paths, responses, webhooks], schemas);
  const byName = ([name]: [string, unknown], [other]: [string, unknown]) => (name < other ? -1 : 1);
  const sorted = (components: Record<string, Json>) =>
    Object.fromEntries(Object.entries(components).sort(byName));
  return {
    openapi: "3.1.0",
    info: {
      title: "Trunkline",
      version: "1",
      description:
        "Trunkline sends messages through the gateways of an account and serves AI requests from pools of providers. Every response has an `X-Request-Id`. A 4xx or 5xx means that nothing of the request was accepted, except with the code `commit_unknown`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The installation that serves this document." }],
    tags: [...new Set(endpoints.map(({ head }) => head.tag))].map((name) => ({
      name,
      description: tags[name],
    })),
    paths,
    webhooks,
    components: {
      schemas: sorted(Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))),
      responses: sorted({ ...responses, ...webhookResponses }),
      parameters: sorted({ ...parameters, ...webhookHeaders }),
      headers,
      securitySchemes,
    },
  };
}
