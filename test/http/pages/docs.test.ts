// The page at /docs: complete, self-contained, and safe with any text.

import assert from "node:assert/strict";
import test from "node:test";
import { endpoints } from "#http/endpoints.ts";
import { openapiDocument } from "#http/openapi/document.ts";
import { docsPage } from "#http/pages/docs.ts";

const { html } = docsPage(openapiDocument());

test("every endpoint has its section, its link and an example", () => {
  for (const { head } of endpoints) {
    assert.equal(html.split(`id="${head.name}"`).length, 2, head.name);
    assert.ok(html.includes(`href="#${head.name}"`), head.name);
    assert.ok(html.includes(`<code>${head.path}</code>`), head.path);
  }
  assert.equal(html.match(/<section class="endpoint"/g)?.length, endpoints.length);
  assert.ok((html.match(/curl /g)?.length ?? 0) >= endpoints.length);
});

test("fields, their rules and the errors are shown", () => {
  for (const text of [
    "contact[].number",
    "contact[].schedule_at",
    "At most 65,536 characters.",
    "insufficient_credit",
    "string or integer",
    "data.segments",
    "data.opened_at",
    "array of objects",
  ]) {
    assert.ok(html.includes(text), text);
  }
  assert.doesNotMatch(html, /undefined|\[object Object\]|NaN/);
});

test("an AI endpoint is shown with the key that opens it", () => {
  const section = html.split('id="createChatCompletion"')[1]?.split("</section>")[0] ?? "";
  assert.ok(section.includes('<span class="key">Pool key</span>'));
  assert.ok(section.includes("Authorization: Bearer YOUR_POOL_KEY"));
  assert.ok(section.includes("service_pool.provider"));
  assert.doesNotMatch(section, /Api-key/);
});

test("nothing is fetched from anywhere", () => {
  const references = [...html.matchAll(/\s(?:src|href|action|srcset)="([^"]*)"/g)].map(
    ([, target]) => target!,
  );
  for (const target of references) assert.match(target, /^(#[\w-]+|openapi\.json|docs\/index\.html|data:,)$/);
  assert.doesNotMatch(html, /@import|url\(|<iframe|<object|<embed|<base/);
  assert.doesNotMatch(html, /\sstyle="|\son\w+="/);
});

test("ids are unique, and every link inside the page leads somewhere", () => {
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, target] of html.matchAll(/href="#([\w-]+)"/g)) assert.ok(ids.includes(target!));
});

test("it can be read by machine and by ear: language, title, landmarks, labels, table heads", () => {
  assert.match(html, /^<!doctype html>\n<html lang="en">/);
  for (const tag of [
    "<title>",
    "<main",
    "<nav aria-label",
    "<header>",
    '<label for="find">',
    '<th scope="col">',
    "<caption>",
  ]) {
    assert.ok(html.includes(tag), tag);
  }
  assert.equal(html.match(/<h1>/g)?.length, 1);
});

test("elements are balanced", () => {
  const open: string[] = [];
  const empty = new Set(["meta", "link", "input", "br"]);
  const body = html.replace(/<style>[\s\S]*?<\/style>/, "").replace(/<script>[\s\S]*?<\/script>/, "");
  for (const [, closing, name] of body.matchAll(/<(\/?)([a-z]\w*)[^>]*>/g)) {
    if (empty.has(name!)) continue;
    if (closing === "") open.push(name!);
    else assert.equal(open.pop(), name);
  }
  assert.deepEqual(open, []);
});

test("an operation shows the parameters that it shares with others", () => {
  const section = html.slice(html.indexOf('id="cancelAccountMessage"')).split("</section>")[0]!;
  for (const name of ["account", "message"])
    assert.ok(section.includes(`<code>${name}</code> <small>path</small>`), name);
});

test("text of the document is text on the page", () => {
  const evil = "<img src=x onerror=alert(1)>\"'&`<b>`";
  const document = {
    info: { title: evil, description: evil },
    tags: [{ name: evil }],
    paths: {
      "/x": {
        get: {
          operationId: "x",
          tags: [evil],
          summary: evil,
          description: evil,
          parameters: [
            {
              name: evil,
              in: "query",
              required: false,
              description: evil,
              schema: { type: "string", enum: [evil] },
            },
          ],
          responses: {
            200: {
              description: evil,
              content: {
                "text/plain": { schema: { properties: { [evil]: { type: "string", description: evil } } } },
              },
            },
          },
        },
      },
    },
    components: { schemas: {} },
  };
  const page = docsPage(document).html;
  assert.doesNotMatch(page, /<img|<b>/);
  assert.match(page, /&lt;img src=x/);
});
