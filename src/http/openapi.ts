// The OpenAPI 3.1 document, made from the same heads and zod objects that route and check requests.

import { z } from "zod";
import { type ProblemCode, problems } from "#contract/problem.ts";
import { messageEvent, messageRecord, smsRecord } from "#contract/record.ts";
import {
  accountReply,
  liveReply,
  pageReply,
  problemReply,
  readyReply,
  recordReply,
  refusalReply,
  sendReply,
  validationReply,
} from "#contract/replies.ts";
import { smsContact, smsSendRequest } from "#contract/sms.ts";
import type { Head } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";

type Json = Record<string, unknown>;

const named: Record<string, z.ZodType> = {
  SmsSendRequest: smsSendRequest,
  SmsContact: smsContact,
  SendReply: sendReply,
  RecordReply: recordReply,
  PageReply: pageReply,
  AccountReply: accountReply,
  MessageRecord: messageRecord,
  SmsRecord: smsRecord,
  MessageEvent: messageEvent,
  ValidationError: validationReply,
  Problem: problemReply,
  Refusal: refusalReply,
  Live: liveReply,
  Ready: readyReply,
};

const nameOf = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));

/** The named schemas, each once, referring to each other. Nothing transforms, so input and output are one. */
function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(named)) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: (id) => `#/components/schemas/${id}` });
  const entries = Object.entries(schemas).map(([name, schema]) => {
    const { $schema: _dialect, $id: _id, ...rest } = schema as Json;
    return [name, rest];
  });
  return Object.fromEntries(entries);
}

function schemaOf(schema: z.ZodType): Json {
  const name = nameOf.get(schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input" }) as Json;
  return rest;
}

function json(schema: z.ZodType): Json {
  return { "application/json": { schema: schemaOf(schema) } };
}

const requestIdHeader = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };

function parametersOf(head: Head): Json[] {
  const inPath = Object.entries(head.params ?? {}).map(([name, description]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(head.query?.shape ?? {}).map(([name, schema]) => {
    // In a query nothing is null: absent is absent.
    const bare = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
    const plain = bare instanceof z.ZodNullable ? bare.unwrap() : bare;
    const description = (schema as z.ZodType).description;
    return { name, in: "query", required: false, description, schema: schemaOf(plain as z.ZodType) };
  });
  return [...inPath, ...inQuery];
}

/** The problems of a head by status, as one reply each: two codes may share a status. */
function problemReplies(codes: readonly ProblemCode[]): Json {
  const replies: Record<string, { description: string; content: Json; headers: Json }> = {};
  for (const code of codes) {
    const { status, when, message } = problems[code];
    const line = `\`${code}\`: ${when}`;
    const known = replies[status];
    const example = { value: { success: false, message, code } };
    if (known !== undefined) {
      known.description += `\n\n${line}`;
      ((known.content["application/json"] as Json).examples as Json)[code] = example;
      continue;
    }
    replies[status] = {
      description: line,
      headers: requestIdHeader,
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Problem" },
          examples: { [code]: example },
        },
      },
    };
  }
  return replies;
}

const refusalDescription =
  "No key, a key that no account has, or a plan that has expired. Comes before everything else about the request.";

function repliesOf(head: Head): Json {
  const ok = Object.entries(head.replies).map(([status, schema]) => [
    status,
    {
      description: schema.description ?? (Number(status) < 400 ? "Done." : "Not now."),
      headers: requestIdHeader,
      content:
        head.replyType === undefined ? json(schema) : { [head.replyType]: { schema: schemaOf(schema) } },
    },
  ]);
  if (head.family === "open")
    return { ...Object.fromEntries(ok), ...problemReplies([...head.problems, "server_error"]) };
  const faults =
    head.body === undefined && head.query === undefined
      ? {}
      : {
          422: {
            description: "The request has faults.",
            headers: requestIdHeader,
            content: json(validationReply),
          },
        };
  return {
    ...Object.fromEntries(ok),
    403: { description: refusalDescription, headers: requestIdHeader, content: json(refusalReply) },
    ...faults,
    ...problemReplies([...head.problems, "rate_limited", "server_error"]),
  };
}

function operationOf(head: Head): Json {
  const parameters = parametersOf(head);
  return {
    operationId: head.name,
    tags: [head.tag],
    summary: head.summary,
    ...(head.description === undefined ? {} : { description: head.description }),
    ...(head.family === "api_key"
      ? { security: [{ apiKeyHeader: [] }, { apiKeyQuery: [] }] }
      : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(head.body === undefined ? {} : { requestBody: { required: true, content: bodyOf(head.body) } }),
    responses: repliesOf(head),
  };
}

function bodyOf(body: z.ZodObject): Json {
  const schema = schemaOf(body);
  const example = { contact: [{ number: "+4915123456789", message: "Your code is 4711." }] };
  return {
    "application/json": { schema, example },
    "application/x-www-form-urlencoded": { schema },
    "multipart/form-data": { schema },
  };
}

/** The whole document. */
export function openapiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const { head } of endpoints) {
    paths[head.path] = { ...paths[head.path], [head.method.toLowerCase()]: operationOf(head) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Trunkline",
      version: "1",
      description:
        "Sends messages through the gateways of an account. Every response has an `X-Request-Id`. Any 4xx or 5xx means that nothing of the request was accepted, `commit_unknown` excepted.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: [...new Set(endpoints.map(({ head }) => head.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: componentSchemas(),
      headers: {
        "X-Request-Id": {
          description: "Names the request; quote it when asking about one.",
          schema: { type: "string" },
        },
      },
      securitySchemes: {
        apiKeyHeader: {
          type: "apiKey",
          in: "header",
          name: "Api-key",
          description: "The account's personal key. With POST it may also stand in the body, as `api_key`.",
        },
        apiKeyQuery: { type: "apiKey", in: "query", name: "api_key" },
      },
    },
  };
}
