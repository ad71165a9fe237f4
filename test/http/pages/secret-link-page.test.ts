// The frame of the pages behind links: the policy allows the blocks that a page has, and no others.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { cardStyle, secretLinkPages } from "#http/pages/secret-link-page.ts";

const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

test("the policy names the style and the script of the page by their hashes", () => {
  const { page, policy } = secretLinkPages(cardStyle, {
    script: 'alert("a");',
    rules: ["connect-src 'self'"],
  });
  const html = page("A title", "<p>Text</p>");
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(html) ?? [];
  const [, script = ""] = /<script>(.*)<\/script>/s.exec(html) ?? [];
  assert.equal(
    policy,
    `default-src 'none'; style-src ${digest(style)}; script-src ${digest(script)}; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  );
  assert.equal(script, 'alert("a");');
  assert.match(html, /<title>A title<\/title>[\s\S]*<h1>A title<\/h1>\n<p>Text<\/p>\n<\/main>/);
});

test("a page without a script has none, and by default no form is sent", () => {
  const { page, policy } = secretLinkPages("");
  assert.doesNotMatch(page("A title", ""), /<script/);
  assert.doesNotMatch(policy, /script-src/);
  assert.match(policy, /form-action 'none'/);
});
