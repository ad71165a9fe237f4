// Vertex AI on recorded traffic: the conformance suite, where its secrets go, and whose prices its models have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { vertex } from "#providers/vertex/vertex.ts";
import { providerConformance } from "../conformance.ts";
import { requestOf } from "../conformance-cases.ts";
import { credentials, privateKey } from "./key-file.ts";
import { vertexSuite } from "./vertex-suite.ts";

providerConformance(vertex, vertexSuite);

const settings = vertex.settings.parse(vertexSuite.settings);

test("vertex: requests and the check have a grant for Google's own token endpoint, and no secret beside it", () => {
  const prepared = vertex.chat(requestOf({ messages: [] }, "gemini-2.5-flash"), settings);
  assert.ok(prepared.kind === "request");
  for (const request of [prepared.request, vertex.check(settings)]) {
    assert.ok(request);
    const { tokenGrant, ...rest } = request;
    assert.equal(tokenGrant?.url, "https://oauth2.googleapis.com/token");
    assert.equal(tokenGrant.scope, "https://www.googleapis.com/auth/cloud-platform");
    assert.ok("privateKey" in tokenGrant.proof);
    assert.equal(tokenGrant.proof.privateKey, privateKey);
    assert.doesNotMatch(JSON.stringify(rest), /PRIVATE KEY|authorization/i);
  }
});

test("vertex: both addresses are the outbound guard's to judge; a statement for a proxy is made for Google all the same", () => {
  assert.deepEqual(vertex.urls(settings), [
    "https://europe-west4-aiplatform.googleapis.com",
    "https://oauth2.googleapis.com/token",
  ]);
  const proxied = vertex.settings.parse({
    credentials,
    base_url: "http://one.test/vertex/",
    token_url: "http://two.test/token",
  });
  assert.deepEqual(vertex.urls(proxied), ["http://one.test/vertex/", "http://two.test/token"]);
  const check = vertex.check(proxied, "all");
  assert.equal(check?.url, "http://one.test/vertex/v1beta1/publishers/google/models?pageSize=1000");
  assert.equal(check.tokenGrant?.url, "http://two.test/token");
  assert.ok("audience" in check.tokenGrant.proof);
  assert.equal(check.tokenGrant.proof.audience, "https://oauth2.googleapis.com/token");
});

test("vertex: models have the list prices of their makers at Google's own address, Claude at `global` alone", () => {
  const listed = (more: object) => {
    const own = vertex.settings.parse({ ...vertexSuite.settings, ...more });
    return ["gemini-2.5-flash", "claude-sonnet-4-5@20250929"].map((model) => vertex.priceVendor(own, model));
  };
  assert.deepEqual(listed({}), ["gemini", null]);
  assert.deepEqual(listed({ location: "global" }), ["gemini", "anthropic"]);
  assert.deepEqual(listed({ location: "global", base_url: "http://one.test" }), [null, null]);
});
