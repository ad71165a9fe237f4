// The webhook events on the page at /docs.

import assert from "node:assert/strict";
import test from "node:test";
import { openapiDocument } from "#http/openapi/document.ts";
import { docsPage } from "#http/pages/docs.ts";
import { eventSections } from "#http/pages/docs-events.ts";

const { html } = docsPage(openapiDocument());

test("each webhook event is shown with its body", () => {
  const { webhooks } = openapiDocument() as { webhooks: Record<string, object> };
  assert.equal(html.match(/<section class="event"/g)?.length, Object.keys(webhooks).length);
  for (const type of Object.keys(webhooks)) assert.ok(html.includes(`>${type}</a></h3>`), type);
});

test("without events there is no section", () => {
  const tools = { safe: String, prose: String, codeBlock: String };
  assert.deepEqual(eventSections({}, tools), { links: "", sections: "" });
});
