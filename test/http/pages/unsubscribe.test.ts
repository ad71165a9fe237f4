// The pages for people who want no more mail: nothing on them acts by itself, and nothing comes from elsewhere.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { unsubscribePages, unsubscribePolicy } from "#http/pages/unsubscribe.ts";

test("only the page that asks has a form, which posts to itself", () => {
  assert.match(
    unsubscribePages.ask,
    /<form method="post">\s*<input type="hidden" name="List-Unsubscribe" value="One-Click">/,
  );
  assert.ok(!/action=/.test(unsubscribePages.ask));
  for (const page of [unsubscribePages.done, unsubscribePages.invalid]) assert.ok(!page.includes("<form"));
});

test("no script, no image, no other host, and the policy allows just the style that is there", () => {
  for (const page of Object.values(unsubscribePages)) {
    assert.ok(!/<script|<img|<link|https?:/i.test(page));
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    assert.ok(unsubscribePolicy.includes(`'sha256-${hash}'`));
  }
  assert.match(unsubscribePolicy, /default-src 'none'/);
  assert.match(unsubscribePolicy, /form-action 'self'/);
});
