// Error replies in the OpenAPI document: shared responses, each named by its codes.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { problems } from "#contract/problem.ts";
import { problemReply, validationReply } from "#contract/replies.ts";
import { endpoints } from "#http/endpoints.ts";
import {
  gateProblems,
  keyProblems,
  keyRefusal,
  ownErrorReply,
  problemReplies,
  sharedResponses,
  validationFailure,
} from "#http/openapi/errors.ts";

const headOf = (name: string) => endpoints.find(({ head }) => head.name === name)!.head;
const reference = (name: string) => ({ $ref: `#/components/responses/${name}` });

test("codes of one status are one response, in any order", () => {
  const { responses, share } = sharedResponses();
  const replies = problemReplies(["commit_unknown", "not_found", "unavailable", "not_found"], share);
  assert.deepEqual(replies, { 404: reference("NotFound"), 503: reference("UnavailableOrCommitUnknown") });
  assert.deepEqual(problemReplies(["unavailable", "commit_unknown"], share), {
    503: reference("UnavailableOrCommitUnknown"),
  });
  const { description, headers, content } = responses.UnavailableOrCommitUnknown!;
  assert.match(String(description), /`unavailable`: .*\n\n`commit_unknown`: /);
  assert.deepEqual(Object.keys(headers as object), ["X-Request-Id", "Retry-After"]);
  const { examples } = (content as { "application/json": { examples: Record<string, { value: unknown }> } })[
    "application/json"
  ];
  for (const [code, { value }] of Object.entries(examples)) {
    assert.equal(problemReply.parse(value).code, code);
    assert.equal(problems[code as keyof typeof problems].status, 503);
  }
});

test("one name never means two responses", () => {
  const { share } = sharedResponses();
  share("Same", { description: "a" });
  share("Same", { description: "a" });
  assert.throws(() => share("Same", { description: "b" }), /Two different responses are called Same/);
});

test("validation, refused keys and replies of the head itself are shared too", () => {
  const { responses, share } = sharedResponses();
  assert.deepEqual(validationFailure(share), { 422: reference("ValidationFailed") });
  assert.deepEqual(keyRefusal(share), { 403: reference("ApiKeyRefused") });
  const text = z.string().meta({ title: "Odd", description: "Odd." });
  assert.deepEqual(ownErrorReply("400", text, "text/plain", share), reference("Odd"));
  assert.deepEqual(
    ownErrorReply("422", validationReply, "application/json", share),
    reference("ValidationError"),
  );
  assert.deepEqual(Object.keys(responses), ["ValidationFailed", "ApiKeyRefused", "Odd", "ValidationError"]);
  assert.throws(() => ownErrorReply("400", z.string(), "text/plain", share), /needs an id or a title/);
});

test("the gates' problems depend on what the head asks for", () => {
  assert.ok(!keyProblems(headOf("getMessage")).includes("commit_unknown"));
  assert.ok(keyProblems(headOf("sendSms")).includes("commit_unknown"));
  const problemsOf = (name: string) => gateProblems(headOf(name));
  assert.ok(!problemsOf("signIn").includes("unauthenticated"));
  assert.deepEqual(problemsOf("listUsers").includes("forbidden"), true);
  assert.ok(problemsOf("getPool").includes("forbidden"), "to a token that lacks the scope");
  assert.ok(!problemsOf("getSession").includes("forbidden"));
  assert.ok(
    problemsOf("getPool").includes("not_found") && problemsOf("createPool").includes("malformed_body"),
  );
});
