// "Try it" on the page at /docs: what each form asks for. In a real browser: test/ui/docs.test.ts.

import assert from "node:assert/strict";
import test from "node:test";
import { endpoints } from "#http/endpoints.ts";
import { openapiDocument } from "#http/openapi/document.ts";
import { docsPage } from "#http/pages/docs.ts";
import { tryElement } from "#http/pages/docs-try.ts";

const { html } = docsPage(openapiDocument());

test("every operation whose body is JSON can be tried, with the credential that opens it", () => {
  const tried = (name: string) => {
    const section = html.split(`id="${name}"`)[1]?.split("</section>")[0] ?? "";
    return /<details class="try"([^>]*)>/.exec(section)?.[1] ?? null;
  };
  assert.match(
    tried("sendSms") ?? "",
    /data-method="POST" data-path="\/api\/sms\/send" data-credential="api_key"/,
  );
  assert.match(tried("createChatCompletion") ?? "", /data-credential="pool_key"/);
  assert.match(tried("listAccountMessages") ?? "", /data-credential="token" data-query="[^"]*\bcursor\b/);
  assert.match(tried("getLiveness") ?? "", /data-credential=""/);
  // Forms that are no JSON, and streams without an end.
  const untried = endpoints.filter(({ head }) => tried(head.name) === null).map(({ head }) => head.name);
  const expected = endpoints
    .filter(({ head }) => (head.body !== undefined && head.form) || head.replyType === "text/event-stream")
    .map(({ head }) => head.name);
  assert.deepEqual(untried, expected);
  assert.ok(untried.includes("watchAccount"));
});

test("what a form begins with is an attribute, with any text in it", () => {
  const body = '{"a": "\\"><script>"}';
  const of = { method: "post", path: "/x", credential: null, query: ["a", "b"], body };
  const safe = (text: string) => text.replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  assert.equal(
    tryElement(of, safe),
    `<details class="try" data-method="POST" data-path="/x" data-credential="" data-query="a b" data-body="${safe(body)}"><summary>Try it</summary></details>`,
  );
});
