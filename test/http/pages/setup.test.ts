// The set-up page: under its own policy, with nothing from elsewhere, and the code nowhere but behind the `#`.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { setupPage } from "#http/pages/setup.ts";
import { ask, edge } from "../edge.ts";

test("it is served as it is, under a policy that allows exactly what is in it", async () => {
  const { status, headers, text } = await ask(edge(), { method: "GET", url: "/setup" });
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.equal(text, setupPage.html);
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'; /);
  for (const element of ["style", "script"]) {
    const [inline, ...more] = [...text.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, "g"))];
    assert.deepEqual(more, []);
    const digest = createHash("sha256").update(inline![1]!).digest("base64");
    assert.ok(policy.includes(`${element}-src 'sha256-${digest}'`), element);
  }
});

test("nothing is fetched but our own API, and the code leaves the address bar", () => {
  assert.doesNotMatch(setupPage.html, /https?:|src=|@import|url\(/);
  assert.deepEqual(
    [...setupPage.html.matchAll(/(?:fetch|ask)\("([^"]+)"/g)].map(([, path]) => path),
    ["/api/manage/v1/setup/link", "/api/manage/v1/setup/user", "/api/manage/v1/setup", "/"],
  );
  assert.match(setupPage.html, /history\.replaceState/);
});
