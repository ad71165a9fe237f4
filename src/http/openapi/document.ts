// The OpenAPI 3.1 document, made from the same heads and zod objects that route and check requests.

import { z } from "zod";
import {
  chatReply,
  chatRequest,
  embeddingsReply,
  embeddingsRequest,
  model,
  openaiErrorReply,
  servicePool,
} from "#contract/ai/chat-shapes.ts";
import { attachment, attachmentTypes } from "#contract/messages/attachments.ts";
import { emailContact, emailSendRequest } from "#contract/messages/email.ts";
import { emailRecord, messageEvent, messageRecord, smsRecord } from "#contract/messages/record.ts";
import { smsContact, smsSendRequest } from "#contract/messages/sms.ts";
import { type ProblemCode, problems } from "#contract/problem.ts";
import {
  currentAccountReply,
  emailSendReply,
  liveReply,
  messagesReply,
  problemReply,
  readyReply,
  recordReply,
  refusalReply,
  sendReply,
  validationReply,
} from "#contract/replies.ts";
import type { Head } from "#http/call.ts";
import { endpoints } from "#http/endpoints.ts";
import { chatStream, poolReplies, servedHeaders } from "./ai.ts";

type Json = Record<string, unknown>;

const named: Record<string, z.ZodType> = {
  SmsSendRequest: smsSendRequest,
  SmsContact: smsContact,
  SendReply: sendReply,
  EmailSendRequest: emailSendRequest,
  EmailContact: emailContact,
  EmailSendReply: emailSendReply,
  Attachment: attachment,
  RecordReply: recordReply,
  PageReply: messagesReply,
  AccountReply: currentAccountReply,
  MessageRecord: messageRecord,
  SmsRecord: smsRecord,
  EmailRecord: emailRecord,
  MessageEvent: messageEvent,
  ValidationError: validationReply,
  Problem: problemReply,
  Refusal: refusalReply,
  ChatRequest: chatRequest,
  ChatReply: chatReply,
  EmbeddingsRequest: embeddingsRequest,
  EmbeddingsReply: embeddingsReply,
  ServicePool: servicePool,
  Model: model,
  OpenAiError: openaiErrorReply,
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

function schemaOf(schema: z.ZodType, io: "input" | "output" = "input"): Json {
  const name = nameOf.get(schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io }) as Json;
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
  const inHeader = Object.entries(head.headers ?? {}).map(([name, description]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(head.query?.shape ?? {}).map(([name, schema]) => {
    // In a query nothing is null: absent is absent. And all of it is text, so a number is told by what it becomes.
    const bare = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
    const plain = bare instanceof z.ZodNullable ? bare.unwrap() : bare;
    const description = (schema as z.ZodType).description;
    return {
      name,
      in: "query",
      required: false,
      description,
      schema: schemaOf(plain as z.ZodType, "output"),
    };
  });
  return [...inPath, ...inQuery, ...inHeader];
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

/** What may come of a channel endpoint beside what its head says. */
function keyProblems({ method }: Head): ProblemCode[] {
  const codes: ProblemCode[] = ["rate_limited", "server_error", "unavailable"];
  return method === "GET" ? codes : [...codes, "commit_unknown"];
}

/** What the gate of the management API may answer, by what the head asks of it. */
function gateProblems(head: Head): ProblemCode[] {
  const changes = head.method !== "GET";
  const codes: ProblemCode[] = ["rate_limited", "unavailable", "server_error"];
  if (head.scope !== "anonymous") codes.push("unauthenticated");
  if (head.scope === "installation" || changes) codes.push("forbidden");
  if (head.scope === "account") codes.push("not_found");
  if (changes) codes.push("commit_unknown");
  if (head.body !== undefined)
    codes.push("malformed_body", "request_timeout", "body_too_large", "unsupported_media_type");
  return codes;
}

function repliesOf(head: Head): Json {
  const ok = Object.entries(head.replies).map(([status, schema]) => [
    status,
    {
      description: schema.description ?? (Number(status) < 400 ? "Done." : "Not now."),
      headers:
        head.family === "pool" && head.body !== undefined
          ? { ...requestIdHeader, ...servedHeaders }
          : requestIdHeader,
      content: {
        ...(head.replyType === undefined ? json(schema) : { [head.replyType]: { schema: schemaOf(schema) } }),
        ...(schema === chatReply ? { "text/event-stream": { schema: chatStream } } : {}),
      },
    },
  ]);
  if (head.family === "open")
    return { ...Object.fromEntries(ok), ...problemReplies([...head.problems, "server_error"]) };
  if (head.family === "pool") return { ...Object.fromEntries(ok), ...poolReplies(head, requestIdHeader) };
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
  if (head.family === "manage") {
    const codes = [...new Set([...head.problems, ...gateProblems(head)])];
    return { ...Object.fromEntries(ok), ...faults, ...problemReplies(codes) };
  }
  return {
    ...Object.fromEntries(ok),
    403: { description: refusalDescription, headers: requestIdHeader, content: json(refusalReply) },
    ...faults,
    ...problemReplies([...new Set([...head.problems, ...keyProblems(head)])]),
  };
}

/** Any one of these opens the endpoint; none: it is open. */
function securityOf(head: Head): Json[] {
  if (head.family === "api_key") return [{ apiKeyHeader: [] }, { apiKeyQuery: [] }];
  if (head.family === "pool") return [{ poolKey: [] }];
  if (head.family === "manage" && head.scope !== "anonymous")
    return [{ managementToken: [] }, { session: [] }];
  return [];
}

function operationOf(head: Head): Json {
  const parameters = parametersOf(head);
  return {
    operationId: head.name,
    tags: [head.tag],
    summary: head.summary,
    ...(head.description === undefined ? {} : { description: head.description }),
    security: securityOf(head),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(head.body === undefined ? {} : { requestBody: { required: true, content: bodyOf(head, head.body) } }),
    responses: repliesOf(head),
  };
}

/** Bodies that are shown whole. */
const examples: ReadonlyMap<z.ZodType, object> = new Map<z.ZodType, object>([
  [smsSendRequest, { contact: [{ number: "+4915123456789", message: "Your code is 4711." }] }],
  [
    emailSendRequest,
    {
      contact: [
        { email: "ada@example.com", subject: "Your invoice", message: "<p>Hello Ada, it is attached.</p>" },
      ],
      attachments: [{ filename: "invoice.pdf", content: "JVBERi0xLjcK" }],
    },
  ],
  [chatRequest, { messages: [{ role: "user", content: "Hello!" }] }],
  [embeddingsRequest, { input: "Hello!" }],
]);

function bodyOf(head: Head, body: z.ZodObject): Json {
  const schema = schemaOf(body);
  const example = examples.get(body);
  const inJson = { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
  if (head.family === "manage" || head.family === "pool") return inJson;
  return {
    ...inJson,
    "application/x-www-form-urlencoded": { schema },
    "multipart/form-data": { schema: head.uploads === true ? formWithFiles(body) : schema },
  };
}

/** In a form the files are files. */
function formWithFiles(body: z.ZodObject): Json {
  const contact = body.shape.contact as z.ZodArray<z.ZodType>;
  return {
    type: "object",
    required: ["contact"],
    properties: {
      contact: {
        type: "array",
        minItems: 1,
        items: schemaOf(contact.element),
        description: contact.description,
      },
      attachments: {
        type: "array",
        items: { type: "string", contentMediaType: "application/octet-stream" },
        description: `Files for every contact: parts called \`attachments\`, \`attachments[]\` or \`attachments[0]\`. Their names end in ${attachmentTypes.join(", ")}, and their contents are of that type.`,
      },
    },
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
        poolKey: {
          type: "http",
          scheme: "bearer",
          description: "The key of a pool of AI models (`tlp_…`).",
        },
        managementToken: {
          type: "http",
          scheme: "bearer",
          description: "A management token (`tlm_…`): an operator's, or a member's for one account.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-trunkline",
          description:
            "Set by signing in; `trunkline` where the public address is not https. What changes something also takes the session's `csrf_token`, in the header `X-CSRF-Token`, and has to come from the installation's own pages.",
        },
      },
    },
  };
}
