// The set-up page: under its own policy, with nothing from elsewhere, and the code nowhere but behind the `#`.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { createContext, runInContext } from "node:vm";
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

test("nothing is fetched but our own API and letters, and the code leaves the address bar", () => {
  const letters = "url(/assets/geist-latin-wght-normal.woff2)";
  assert.doesNotMatch(setupPage.html.replace(letters, ""), /https?:|src=|@import|url\(/);
  assert.deepEqual(
    [...setupPage.html.matchAll(/(?:fetch|ask)\("([^"]+)"/g)].map(([, path]) => path),
    ["/api/manage/v1/setup/link", "/api/manage/v1/setup/user", "/api/manage/v1/setup", "/"],
  );
  assert.match(setupPage.html, /history\.replaceState/);
});

/** What the page of a user's link says after this answer to its first question. */
async function wordsAfter(status: number, message: string): Promise<string> {
  const elements = new Map<string, { textContent: string }>();
  const element = (name: string) => {
    const known = elements.get(name) ?? { textContent: "" };
    elements.set(name, known);
    return known;
  };
  const form = {
    elements: { name: {}, email: {}, password: {} },
    hidden: false,
    querySelector: () => element("button"),
    querySelectorAll: () => [],
    addEventListener: () => {},
  };
  const answered = Promise.withResolvers<void>();
  const reply = {
    ok: false,
    status,
    json: async () => {
      setImmediate(answered.resolve);
      return { message };
    },
  };
  const [, script = ""] = /<script>([^<]*)<\/script>/.exec(setupPage.html) ?? [];
  runInContext(
    script,
    createContext({
      document: {
        querySelector: (what: string) => (what === "form" ? form : element(what)),
        getElementById: element,
      },
      location: { hash: "#tlu_code", pathname: "/setup" },
      history: { replaceState: () => {} },
      fetch: async () => reply,
    }),
  );
  await answered.promise;
  return element("result").textContent;
}

test("only a link that is over asks for a new one; with any other answer it is opened again", async () => {
  for (const status of [401, 422])
    assert.equal(await wordsAfter(status, "No."), "No. Ask the operator who sent it to you for a new one.");
  for (const status of [403, 429, 500, 503])
    assert.equal(await wordsAfter(status, "No."), "No. Open the link again later.");
});
