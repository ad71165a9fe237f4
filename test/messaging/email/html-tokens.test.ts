// Tags come as they are, attributes decoded, in any quoting.

import assert from "node:assert/strict";
import { it } from "node:test";
import { readTags } from "#messaging/email/html-tokens.ts";

it("tells tags, attributes and texts in their order", () => {
  const seen: string[] = [];
  readTags(`<A HREF="x&amp;y" href=z Title='"'>t&lt;<br/></a><!-- c --><script><p></script>`, {
    open: (name, attribute) =>
      seen.push(`${name} ${attribute("href")?.value ?? "-"} ${attribute("title")?.value ?? "-"}`),
    close: (name) => seen.push(`/${name}`),
    text: (text) => seen.push(`"${text}"`),
  });
  assert.deepEqual(seen, ['a x&y "', '"t"', '"<"', "br - -", "/a", "script - -", '"<p>"', "/script"]);
});

it("tells a text with stray brackets as one", () => {
  const texts: string[] = [];
  const reader = { open: () => {}, close: () => {}, text: (text: string) => texts.push(text) };
  readTags("1 < 2 <<< 3<b>x<!-- c -->y & z</b> <", reader);
  assert.deepEqual(texts, ["1 < 2 <<< 3", "x", "y & z", " <"]);
});

it("tells where attributes and closing tags are", () => {
  const html = `<p><a HREF = 'x' data-x>t</a></p>`;
  const seen: string[] = [];
  readTags(html, {
    open: (_, attribute) => {
      for (const name of ["href", "data-x"]) {
        const found = attribute(name);
        if (found) seen.push(`${html.slice(0, found.nameEnd)}|${html.slice(found.nameEnd, found.end)}`);
      }
    },
    close: (_, start) => seen.push(html.slice(start)),
    text: () => {},
  });
  assert.deepEqual(seen, ["<p><a HREF| = 'x'", "<p><a HREF = 'x' data-x|", "</a></p>", "</p>"]);
});
