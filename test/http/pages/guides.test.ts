// The guides as pages: whole, self-contained, and with links that lead somewhere.

import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { before, test } from "node:test";
import { guideFiles, type SiteFile } from "#http/pages/guides.ts";
import { inject } from "../../inject.ts";
import { edge } from "../edge.ts";

let files: ReadonlyMap<string, SiteFile>;
const api = {
  html: '<h2 id="send">API</h2>',
  contentSecurityPolicy: "default-src 'none'",
  openapi: Buffer.from("{}"),
};
before(async () => {
  files = guideFiles(new URL("../../../docs/", import.meta.url), api, "https://docs.example/");
});
const textOf = (path: string) => Buffer.from(files.get(path)!.bytes).toString();
const pages = () => [...files.keys()].filter((path) => path.endsWith(".html"));

test("each page of docs/ is there for people and for programs", () => {
  const written = [...files.keys()].filter((path) => path.endsWith(".md"));
  assert.ok(written.length > 60, `${written.length}`);
  for (const path of written) {
    const html = path.replace(/(^|\/)README\.md$/, "$1index.md").replace(/\.md$/, ".html");
    assert.equal(files.get(html)?.type, "text/html; charset=utf-8", path);
    assert.equal(files.get(path)?.type, "text/markdown; charset=utf-8");
  }
});

test("every link leads to a file, and its anchor to an element of that page", () => {
  const wrong: string[] = [];
  for (const page of pages())
    for (const [, href = ""] of textOf(page).matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^https?:/.test(href)) continue;
      const [path = "", anchor] = href.split("#");
      const target = path === "" ? page : normalize(join(dirname(page), path));
      const file = files.get(target);
      const found =
        file !== undefined && (anchor === undefined || file.bytes.toString().includes(`id="${anchor}"`));
      if (!found) wrong.push(`${page}: ${href}`);
    }
  assert.deepEqual(wrong, []);
});

test("a page loads nothing from elsewhere, and its policy allows its own two blocks alone", () => {
  for (const page of pages().filter((path) => path !== "api.html")) {
    const html = textOf(page);
    assert.deepEqual(html.match(/<(?:script|link|iframe)\b[^>]+(?:src|href)=/g), null, page);
    assert.doesNotMatch(html, /<!--|\son\w+=/, page);
    assert.equal((html.match(/<style>/g) ?? []).length, 1, page);
    assert.match(
      files.get(page)!.contentSecurityPolicy ?? "",
      /^default-src 'none';.*style-src 'sha256-[^']+'; script-src 'sha256-[^']+'$/,
    );
  }
});

test("llms.txt names the guides by group, and the search knows each of their headings", () => {
  const text = textOf("llms.txt");
  assert.match(text, /^# Trunkline\n\n> /);
  for (const [, path = ""] of text.matchAll(/\]\(https:\/\/docs\.example\/([^)#]*)/g))
    assert.ok(files.has(path), path);
  assert.match(
    text,
    /## Messages\n[\s\S]*- \[Webhooks\]\(https:\/\/docs\.example\/webhooks\.md\): receive events/,
  );
  const sections = JSON.parse(textOf("search.json")) as [string, string, string, string][];
  const [path, title, heading] = sections.find(([where]) =>
    where.startsWith("operations.html#backup-and-restore"),
  )!;
  assert.deepEqual(
    [path, title, heading],
    ["operations.html#backup-and-restore", "Running Trunkline", "Backup and restore"],
  );
  assert.ok(sections.every(([where]) => !where.startsWith("decisions/")));
});

test("the service has them, by their paths alone", async () => {
  const { app } = edge();
  for (const [url, status, type] of [
    ["/docs/index.html", 200, "text/html; charset=utf-8"],
    ["/docs/from/twilio.md", 200, "text/markdown; charset=utf-8"],
    ["/docs/api.html", 200, "text/html; charset=utf-8"],
    ["/docs/openapi.json", 200, "application/json; charset=utf-8"],
    ["/llms.txt", 200, "text/plain; charset=utf-8"],
    ["/docs/none.html", 404, "application/json; charset=utf-8"],
    ["/docs/..%2fpackage.json", 404, "application/json; charset=utf-8"],
    ["/docs/__proto__", 404, "application/json; charset=utf-8"],
  ] as const) {
    const reply = await inject(app, url);
    assert.deepEqual([reply.statusCode, reply.headers["content-type"]], [status, type], url);
  }
  const page = await inject(app, "/docs/webhooks.html");
  assert.match(String(page.headers["content-security-policy"]), /script-src 'sha256-/);
});
