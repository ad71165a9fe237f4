// Every relative link of the documentation leads to a file, every anchor to a heading, and every page is found from the index.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { anchorsOf, pages, proseOf, targetOf } from "./pages.ts";

interface Link {
  page: string;
  link: string;
}

const links: Link[] = pages.flatMap((page) => {
  const text = proseOf(page);
  const inline = [...text.matchAll(/\]\(<?([^)<>\s]+)>?(?: "[^"]*")?\)/g)];
  const named = [...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  const written = [...text.matchAll(/<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"/g)];
  return [...inline, ...named, ...written].map(([, link = ""]) => ({ page, link }));
});
const relative = links.filter(({ link }) => !/^[a-z][a-z+.-]*:/i.test(link));

test("every relative link leads to a file, and its anchor to a heading of it", () => {
  const anchors = new Map(pages.map((page) => [page, anchorsOf(page)]));
  const broken = relative.filter(({ page, link }) => {
    const { path, anchor } = targetOf(page, link);
    if (!existsSync(path)) return true;
    return anchor !== "" && path.endsWith(".md") && anchors.get(path)?.has(anchor) === false;
  });
  assert.deepEqual(broken, []);
  assert.ok(relative.length > 200, `${relative.length} links`);
});

test("every link that is named is defined once and used", () => {
  const wrong = pages.flatMap((page) => {
    const text = proseOf(page);
    const defined = [...text.matchAll(/^\[([^\]]+)\]: /gm)].map(([, name]) => name ?? "");
    const used = [...text.matchAll(/\]\[([^\]]+)\]/g)].map(([, name]) => name ?? "");
    const twice = defined.filter((name, at) => defined.indexOf(name) !== at);
    const missing = used.filter((name) => !defined.includes(name));
    const unused = defined.filter((name) => !used.includes(name));
    return [...twice, ...missing, ...unused].map((name) => `${page}: ${name}`);
  });
  assert.deepEqual(wrong, []);
});

test("the index of the documentation leads to every page of it", () => {
  const linked = new Set(
    relative
      .filter(({ page }) => page === "docs/README.md")
      .map(({ page, link }) => targetOf(page, link).path),
  );
  const missing = pages.filter(
    (page) =>
      /^docs\/(?:reference\/|from\/)?[\w-]+\.md$/.test(page) &&
      page !== "docs/README.md" &&
      !linked.has(page),
  );
  assert.deepEqual(missing, []);
});
