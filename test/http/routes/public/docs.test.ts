// GET /openapi.json and /docs

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { openapiDocument } from "#http/openapi/document.ts";
import { ask, edge } from "../../edge.ts";

const get = (url: string) => ask(edge(), { method: "GET", url });

test("the document is served as it is made, and the same each time", async () => {
  const { status, json, text } = await get("/openapi.json");
  assert.equal(status, 200);
  assert.deepEqual(json, JSON.parse(JSON.stringify(openapiDocument())));
  assert.equal((await get("/openapi.json")).text, text);
});

test("the page's policy allows exactly what is in it", async () => {
  const { status, headers, text } = await get("/docs");
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'; /);
  assert.match(policy, /frame-ancestors 'none'/);
  for (const element of ["style", "script"]) {
    const inline = [...text.matchAll(new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, "g"))];
    assert.equal(inline.length, 1);
    const hash = createHash("sha256").update(inline[0]![1]!).digest("base64");
    assert.ok(policy.includes(`${element}-src 'sha256-${hash}'`), element);
  }
});
