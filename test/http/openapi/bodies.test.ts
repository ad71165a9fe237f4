// Request bodies in the OpenAPI document: JSON for all, and forms with schemas of their own for channel endpoints.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import type { Head } from "#http/call.ts";
import { endpoints } from "#http/endpoints.ts";
import { requestBodyOf } from "#http/openapi/bodies.ts";

const headOf = (name: string) => endpoints.find(({ head }) => head.name === name)!.head;
const bodyOf = (name: string) => requestBodyOf(headOf(name), headOf(name).body!);
const contentOf = (name: string) =>
  bodyOf(name).requestBody.content as Record<string, { schema: { $ref: string } }>;

test("a channel endpoint has one schema for each of its three media types", () => {
  const references = Object.entries(contentOf("sendEmail")).map(([type, { schema }]) => [type, schema.$ref]);
  assert.deepEqual(references, [
    ["application/json", "#/components/schemas/EmailSendRequest"],
    ["application/x-www-form-urlencoded", "#/components/schemas/EmailSendForm"],
    ["multipart/form-data", "#/components/schemas/EmailSendMultipart"],
  ]);
  const { schemas } = bodyOf("sendEmail");
  assert.deepEqual(Object.keys(schemas.EmailSendForm!.properties as object), ["contact"]);
  assert.deepEqual(Object.keys(schemas.EmailSendMultipart!.properties as object), ["contact", "attachments"]);
  for (const form of Object.values(schemas)) assert.deepEqual(form.required, ["contact"]);
});

test("a form has plain fields as they are", () => {
  const { schemas } = bodyOf("resolveMessage");
  const { answer } = schemas.ResolveMessageForm!.properties as { answer: { enum: string[] } };
  assert.deepEqual(answer.enum, ["send_again", "mark_sent", "mark_failed"]);
});

test("the other families take JSON alone, and a body needs a name", () => {
  for (const name of ["createPool", "createEmbedding"]) {
    assert.deepEqual(Object.keys(contentOf(name)), ["application/json"]);
    assert.deepEqual(bodyOf(name).schemas, {});
  }
  const head: Head = { ...headOf("createPool"), name: "createThing" };
  assert.throws(() => requestBodyOf(head, z.object({})), /createThing needs an id/);
});

test("a body is optional where an empty object is one; a change has to say what changes", () => {
  const required = (name: string) => bodyOf(name).requestBody.required;
  assert.equal(required("rotateApiKey"), false);
  for (const name of ["createPool", "updatePool", "createMessage", "countContentTokens"])
    assert.equal(required(name), true, name);
});
