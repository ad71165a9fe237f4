// The OpenAPI document: sound in itself, and the same set of routes as the server's.

import assert from "node:assert/strict";
import test from "node:test";
import { errorShapeOf } from "#ai/apis/apis.ts";
import type { Opened } from "#ai/pools/pools.ts";
import type { ServeResult } from "#ai/serve.ts";
import { problems } from "#contract/problem.ts";
import { endpoints } from "#http/endpoints.ts";
import { manageExamples } from "#http/openapi/manage-examples.ts";
import { usedNames } from "#http/openapi/schemas.ts";
import { ask, edge, key, noAi, record } from "../edge.ts";
import { document, everyObject, operations, resolved } from "./reading.ts";

test("it is OpenAPI 3.1 with its required fields", () => {
  assert.match(document.openapi, /^3\.1\.\d+$/);
  assert.ok(document.info.title.length > 0 && document.info.version.length > 0);
  assert.ok(operations.length > 0);
});

test("every reference leads somewhere, and every component is referred to", () => {
  const targets = new Set<string>();
  everyObject(document, ({ $ref }) => {
    if ($ref === undefined) return;
    assert.match(String($ref), /^#\/components\/(schemas|headers|responses)\/[\w-]+$/);
    const [, , kind, name] = String($ref).split("/");
    assert.ok(document.components[kind!]?.[name!] !== undefined, String($ref));
    targets.add(String($ref));
  });
  for (const kind of ["schemas", "responses", "headers"]) {
    for (const name of Object.keys(document.components[kind] ?? {}))
      assert.ok(targets.has(`#/components/${kind}/${name}`), `${name} is not used`);
  }
});

test("no schema carries the marks of its making, or forbids what may be added later", () => {
  everyObject(document, (object) => {
    assert.equal("$schema" in object, false);
    assert.equal("$id" in object, false);
  });
  const schemas = document.components.schemas as Record<string, Record<string, unknown>>;
  const shown = [operations.map(({ operation }) => operation.responses), document.components.responses];
  const reached = usedNames(shown, schemas);
  assert.ok(reached.size > 50);
  for (const name of reached)
    everyObject(schemas[name], (object) => assert.notEqual(object.additionalProperties, false, name));
});

test("every path parameter is declared, and no other", () => {
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
    assert.deepEqual(declared.map(({ name }) => name).sort(), inPath.sort(), path);
    assert.ok(declared.every(({ required }) => required));
  }
});

test("operation ids are unique, tags are declared, summaries are there", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { operation } of operations) {
    assert.ok(operation.tags.every((tag) => tags.has(tag)));
    assert.ok(operation.summary.length > 0);
  }
});

test("security names schemes that exist, and channel endpoints have it", () => {
  const schemes = Object.keys(document.components.securitySchemes ?? {});
  for (const { path, operation } of operations) {
    for (const each of operation.security)
      for (const name of Object.keys(each)) assert.ok(schemes.includes(name));
    const isAnonymous = ["signIn", "setUp", "checkSetupLink", "setUpUser"].includes(operation.operationId);
    assert.equal(operation.security.length > 0, path.startsWith("/api/") && !isAnonymous, path);
    const manages = path.startsWith("/api/manage/");
    const pooled = path.startsWith("/api/ai/");
    for (const each of operation.security) {
      assert.equal("managementToken" in each || "session" in each, manages, path);
      assert.equal("poolKey" in each, pooled, path);
    }
  }
});

test("the management API takes JSON alone, and says what its gate answers", () => {
  const managed = operations.filter(({ path }) => path.startsWith("/api/manage/"));
  assert.ok(managed.length > 0);
  for (const { path, method, operation } of managed) {
    const { requestBody, responses, security } = operation;
    if (requestBody) {
      assert.deepEqual(Object.keys(requestBody.content), ["application/json"], path);
      for (const status of ["400", "413", "415", "422"]) assert.ok(responses[status], `${path} ${status}`);
    }
    if (security.length === 0) continue;
    assert.ok(responses["401"], path);
    if (method !== "get") assert.ok(responses["403"], path);
    if (path.includes("/accounts/{account}/")) assert.ok(responses["404"], path);
  }
});

test("the AI endpoints take JSON alone, but for recordings, and answer in the shape of their API", () => {
  const pooled = operations.filter(({ path }) => path.startsWith("/api/ai/"));
  assert.deepEqual(pooled.map(({ operation }) => operation.operationId).sort(), [
    "cancelDeferredCompletion",
    "cancelResponse",
    "countContentTokens",
    "countContentTokensInStable",
    "countMessageTokens",
    "countResponseTokens",
    "createChatCompletion",
    "createCompaction",
    "createCompletion",
    "createContent",
    "createContentEmbedding",
    "createContentEmbeddingInStable",
    "createContentEmbeddings",
    "createContentEmbeddingsInStable",
    "createContentInStable",
    "createContentStream",
    "createContentStreamInStable",
    "createEmbedding",
    "createImage",
    "createImageEdit",
    "createImageVariation",
    "createMessage",
    "createModeration",
    "createRanking",
    "createResponse",
    "createSpeech",
    "createTranscription",
    "createTranslation",
    "getDeferredCompletion",
    "getGeminiModel",
    "getModel",
    "getResponse",
    "listGeminiModels",
    "listModels",
  ]);
  for (const { operation, path } of pooled) {
    const { requestBody, responses } = operation;
    const reads = ["401", "500", "503", ...(path.includes("{") ? ["404"] : ["400"])];
    if (path.endsWith("{completion}/cancel")) reads.push("409");
    if (path.endsWith("{response}")) reads.push("400");
    const sends = ["400", "401", "404", "408", "413", "415", "422", "429", "500", "502", "503", "504"];
    const errors = Object.keys(responses).filter((status) => status >= "400");
    assert.deepEqual(errors, (requestBody ? sends : reads).sort(), path);
    const type = /\/(transcriptions|translations|edits|variations)$/.test(path)
      ? "multipart/form-data"
      : "application/json";
    if (requestBody) assert.deepEqual(Object.keys(requestBody.content), [type], path);
    for (const status of errors)
      assert.deepEqual(resolved(responses[status])?.content?.["application/json"]?.schema, {
        $ref: `#/components/schemas/${path.includes("/messages") ? "AnthropicError" : errorShapeOf(path).name === "Gemini" ? "GeminiError" : "OpenAiError"}`,
      });
  }
  const chat = document.paths["/api/ai/v1/chat/completions"]?.post?.responses["200"];
  assert.deepEqual(Object.keys(chat?.content ?? {}), ["application/json", "text/event-stream"]);
});

test("headers that a head takes are parameters", () => {
  let headers = 0;
  for (const { head } of endpoints) {
    const declared = document.paths[head.path]?.[head.method.toLowerCase()]?.parameters ?? [];
    const inHeader = declared.filter((parameter) => parameter.in === "header");
    assert.deepEqual(
      inHeader.map(({ name, required }) => [name, required]),
      Object.keys(head.headers ?? {}).map((name) => [name, false]),
      head.path,
    );
    headers += inHeader.length;
  }
  assert.ok(headers > 0);
  const send = document.paths["/api/sms/send"]?.post?.parameters ?? [];
  assert.ok(send.some(({ name, in: place }) => name === "Idempotency-Key" && place === "header"));
});

test("every response has a description and a body", () => {
  for (const { path, operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      assert.match(status, /^[245]\d\d$/);
      const { description, content = {} } = resolved(response)!;
      assert.ok(description.length > 0, `${path} ${status}`);
      const streams =
        /^create(ChatCompletion|Completion|Message|Response|ContentStream(InStable)?)$/.test(
          operation.operationId,
        ) && status === "200";
      // Sounds and subtitles come as the vendor sends them.
      const asSent =
        /^create(Speech|Transcription|Translation)$/.test(operation.operationId) && status === "200";
      const bodies = streams || asSent ? 2 : status === "204" ? 0 : 1;
      assert.equal(Object.keys(content).length, bodies, `${path} ${status}`);
    }
  }
});

test("the send request says what the interface says", () => {
  const schema = document.components.schemas?.SmsContact as {
    required: string[];
    properties: Record<string, Record<string, unknown>>;
  };
  assert.deepEqual(schema.required, ["number", "message"]);
  assert.deepEqual(Object.keys(schema.properties), [
    "number",
    "message",
    "gateway_identifier",
    "schedule_at",
    "reference",
    "metadata",
  ]);
  assert.deepEqual(schema.properties.number?.type, ["string", "integer"]);
  assert.equal(schema.properties.message?.maxLength, 65_536);
  assert.deepEqual(Object.keys(document.paths["/api/sms/send"]?.post?.requestBody?.content ?? {}), [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
  ]);
});

test("the record's schema has the record's fields", () => {
  const schema = document.components.schemas?.SmsRecord as { required: string[]; properties: object };
  assert.deepEqual(Object.keys(schema.properties).sort(), [...Object.keys(record), "events"].sort());
  // Events share the schema and have no `waiting_for`.
  const required = Object.keys(record).filter((field) => field !== "waiting_for");
  assert.deepEqual([...schema.required].sort(), required.sort());
});

test("every problem is documented somewhere, but for those that come before any endpoint", () => {
  const text = JSON.stringify(document.components.responses);
  const before = ["malformed_request", "method_not_allowed", "headers_too_large"];
  for (const code of Object.keys(problems)) {
    if (!before.includes(code)) assert.ok(text.includes(`\`${code}\``), code);
  }
});

test("the document has every endpoint and no other", () => {
  const routed = endpoints.map(({ head }) => `${head.method.toLowerCase()} ${head.path}`);
  assert.deepEqual(new Set(operations.map(({ method, path }) => `${method} ${path}`)), new Set(routed));
});

test("where files are uploaded, the form has files and JSON has base64", () => {
  const { requestBody } = document.paths["/api/email/send"]!.post!;
  assert.deepEqual(requestBody!.content["multipart/form-data"]!.schema, {
    $ref: "#/components/schemas/EmailSendMultipart",
  });
  const form = document.components.schemas?.EmailSendMultipart as {
    properties: Record<string, { contentMediaType?: string; items?: object }>;
  };
  assert.equal(form.properties.contact!.contentMediaType, "application/json");
  assert.deepEqual(form.properties.attachments!.items, {
    type: "string",
    format: "binary",
    contentMediaType: "application/octet-stream",
  });
  assert.deepEqual(requestBody!.content["application/json"]!.schema, {
    $ref: "#/components/schemas/EmailSendRequest",
  });
});

/** Serves anything, to anybody. */
const ai = {
  ...noAi,
  authenticate: async () => ({ pool: { accountId: "acc_1", cache: null } }) as Opened,
  serve: async (): Promise<ServeResult> => {
    const served = { provider: "a", model: "b", latency_ms: 1, attempts: 1 };
    const levels = { requests: null, tokens: null };
    return { kind: "served", levels, completed: { kind: "answer", text: "{}", served } };
  },
};

test("every example of a request is accepted", async () => {
  for (const { path, operation } of operations) {
    // Those of changes name things that are not there: manage-examples.test.ts reads them with their schemas.
    if (operation.operationId in manageExamples) continue;
    for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
      if (example === undefined) continue;
      const headers = { "api-key": key, "content-type": type, authorization: "Bearer tlp_1" };
      const { status } = await ask(edge({ ai }), { url: path, headers, body: JSON.stringify(example) });
      assert.equal(status, 200);
    }
  }
});

test("every status that is answered is documented", async () => {
  const asked: [method: string, url: string, path: string, body?: string][] = [
    ["POST", "/api/sms/send", "/api/sms/send", "{}"],
    ["POST", "/api/sms/send", "/api/sms/send", "{"],
    ["GET", "/api/get/sms?limit=x", "/api/get/{channel}"],
    ["GET", "/api/get/sms/x", "/api/get/{channel}/{id}"],
    ["POST", "/api/cancel/sms/x", "/api/cancel/{channel}/{id}"],
    ["GET", "/api/account", "/api/account"],
  ];
  for (const [method, url, path, body] of asked) {
    for (const apiKey of [key, "wrong"]) {
      const headers = { "api-key": apiKey, "content-type": "application/json" };
      const { status } = await ask(edge(), { method, url, headers, ...(body === undefined ? {} : { body }) });
      const documented = document.paths[path]?.[method.toLowerCase()]?.responses;
      assert.ok(documented?.[status], `${method} ${url}: ${status}`);
    }
  }
});
