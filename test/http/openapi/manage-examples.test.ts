// Every body in the OpenAPI document has an example, which its own schema reads.

import assert from "node:assert/strict";
import test from "node:test";
import { faultWords } from "#contract/fault-words.ts";
import { endpoints } from "#http/endpoints.ts";
import { requestBodyOf } from "#http/openapi/bodies.ts";
import { manageExamples } from "#http/openapi/manage-examples.ts";

const withBody = endpoints.flatMap(({ head }) =>
  head.body === undefined || head.form ? [] : [{ head, body: head.body }],
);

test("every JSON body has an example", () => {
  const without = withBody.filter(({ head, body }) => {
    const content = requestBodyOf(head, body).requestBody.content as Record<string, { example?: object }>;
    return content["application/json"]?.example === undefined;
  });
  assert.deepEqual(
    without.map(({ head }) => head.name),
    [],
  );
});

test("each example is what its operation takes, and each is used", () => {
  for (const [name, example] of Object.entries(manageExamples)) {
    const of = withBody.find(({ head }) => head.name === name);
    assert.ok(of, name);
    const { error } = of.body.safeParse(example, faultWords);
    assert.deepEqual(error?.issues ?? [], [], name);
  }
});
