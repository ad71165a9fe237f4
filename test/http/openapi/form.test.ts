// What the OpenAPI document promises to those who generate clients from it: names, statuses, shared replies, and schemas
// that the generators of other languages read.

import assert from "node:assert/strict";
import test from "node:test";
import { openapiDocument } from "#http/openapi/document.ts";
import { document, operations, webhooks } from "./reading.ts";

const verbs = /^(list|get|create|update|delete)[A-Z]/;
/** Operations that are named by the verb of their domain. */
const domainVerbs =
  /^(activate|cancel|change|check|count|find|grant|link|pause|preview|receive|register|release|replay|reschedule|resolve|resume|retry|reveal|revoke|rotate|send|set|sign|test|try|unlink|watch)[A-Z]/;

test("operation ids are a verb and a noun, without the name of an API", () => {
  for (const { operation } of operations) {
    const { operationId, summary } = operation;
    assert.match(operationId, /^[a-z]+([A-Z][a-z]*)+$/);
    assert.ok(verbs.test(operationId) || domainVerbs.test(operationId), operationId);
    assert.match(summary, /^[A-Z][^.]*$/, operationId);
  }
});

/** The answer comes before the work is done. */
const begun = new Set(["linkGateway", "resumeGatewayLink", "unlinkGateway"]);

test("in the management API creating answers 201, deleting 204, what begins 202, and everything else 200", () => {
  for (const { path, method, operation } of operations) {
    if (!path.startsWith("/api/manage/")) continue;
    const { operationId, responses } = operation;
    const success = Object.keys(responses).filter((status) => status.startsWith("2"));
    const successStatus = method === "delete" ? "204" : operationId.startsWith("create") ? "201" : "200";
    const expected = begun.has(operationId) ? "202" : successStatus;
    // The gateway is gone at once, or once its last message has ended.
    const drains = operationId === "deleteGateway";
    assert.deepEqual(success, drains ? ["200", "202"] : [expected], operationId);
    if (operationId.startsWith("delete")) assert.equal(method, "delete");
    if (operationId.startsWith("create")) assert.equal(method, "post");
    if (operationId.startsWith("update")) assert.equal(method, "patch");
    if (/^(get|list)/.test(operationId)) assert.equal(method, "get");
  }
});

test("what is created and can be read has a Location", () => {
  const located = operations
    .filter(({ operation }) => "Location" in (operation.responses["201"]?.headers ?? {}))
    .map(({ operation }) => operation.operationId);
  assert.deepEqual(located.sort(), [
    "createAccount",
    "createGateway",
    "createHook",
    "createNamedKey",
    "createPool",
    "createPoolKey",
    "createPoolMember",
    "createSendingDomain",
    "createWebhook",
  ]);
});

test("every error reply is shared, every body is named, and the document stays small", () => {
  for (const { operation } of operations) {
    for (const [status, reply] of Object.entries(operation.responses)) {
      if (/^[45]/.test(status)) assert.deepEqual(Object.keys(reply), ["$ref"], operation.operationId);
      const json = status < "400" ? reply.content?.["application/json"]?.schema : undefined;
      if (json !== undefined) assert.deepEqual(Object.keys(json), ["$ref"], operation.operationId);
    }
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
      assert.deepEqual(Object.keys(schema), ["$ref"], operation.operationId);
  }
  // As it is committed: 640 kB for 139 operations, and no more for each further one.
  // A webhook is an operation too, the other way round.
  const perOperation =
    JSON.stringify(openapiDocument(), null, 1).length / (operations.length + webhooks.length);
  assert.ok(perOperation < 640_000 / 139, `${perOperation} for each`);
});

/** Visits every schema in a place where a schema belongs. */
function everySchema(
  schema: unknown,
  visit: (schema: Record<string, unknown>, path: string) => void,
  path = "",
): void {
  if (typeof schema !== "object" || schema === null) return;
  const fields = schema as Record<string, unknown>;
  visit(fields, path);
  for (const name of ["items", "additionalProperties", "not"])
    everySchema(fields[name], visit, `${path}/${name}`);
  for (const name of ["anyOf", "oneOf", "allOf"])
    for (const [index, option] of ((fields[name] ?? []) as unknown[]).entries())
      everySchema(option, visit, `${path}/${name}/${index}`);
  for (const [name, property] of Object.entries((fields.properties ?? {}) as object))
    everySchema(property, visit, `${path}/${name}`);
}

test("no schema is empty, and patterns are ones that Python and Go read", () => {
  const patterns = new Set<string>();
  const check = (schema: Record<string, unknown>, path: string) => {
    assert.ok(
      Object.keys(schema).some((name) => name !== "description"),
      `${path} is empty`,
    );
    if (schema.pattern !== undefined) patterns.add(String(schema.pattern));
    assert.equal("nullable" in schema, false, path);
  };
  for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
    everySchema(schema, check, name);
  for (const { operation } of operations)
    for (const { name, schema } of operation.parameters ?? []) everySchema(schema, check, name);
  assert.ok(patterns.size > 5);
  for (const pattern of patterns) {
    // Go has no look-around and no back-references, Python no property classes, and both spell code points otherwise.
    assert.doesNotMatch(pattern, /\(\?(?!:)|\\[1-9pPkuc]/, pattern);
    for (const [, max] of pattern.matchAll(/\{\d*,?(\d+)\}/g)) assert.ok(Number(max) <= 1_000, pattern);
  }
});

test("a parameter is required where the service requires it", () => {
  const parameters =
    document.paths["/api/manage/v1/accounts/{account}/credit/entries"]?.get?.parameters ?? [];
  assert.deepEqual(
    parameters.map(({ name, required }) => [name, required]),
    [
      ["account", true],
      ["channel", true],
      ["limit", false],
      ["cursor", false],
    ],
  );
});
