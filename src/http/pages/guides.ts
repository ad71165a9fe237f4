// The pages of docs/ for a browser: each as HTML with a menu and a search, and as it was written. All files of the site are made in one go,
// in a thread of their own (site.ts); `scripts/build-docs.ts` writes the same ones for a web server.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked, type Token, type Tokens } from "marked";
import { docsStyle } from "./docs-assets.ts";
import { guideScript, guideStyle } from "./guides-assets.ts";

export interface SiteFile {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Of pages. */
  contentSecurityPolicy?: string;
}

/** The reference of the API, a part of the site that is not made from docs/. */
interface ApiReference {
  html: string;
  contentSecurityPolicy: string;
  openapi: Buffer<ArrayBuffer>;
}

/** A part of a page under one heading. */
interface Section {
  heading: string;
  anchor: string;
  text: string;
}

interface Page {
  /** `from/twilio.md` */
  path: string;
  markdown: string;
  title: string;
  html: string;
  sections: Section[];
}

/** A group of the index and of the menu. */
interface Group {
  name: string;
  links: { text: string; href: string; purpose: string }[];
}

const sha256 = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; img-src 'self'; style-src ${sha256(docsStyle + guideStyle)}; script-src ${sha256(guideScript)}`;

const safe = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const unescaped = (html: string) =>
  html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);
/** Text of HTML that was rendered from Markdown. */
const plain = (html: string) => unescaped(html.replaceAll(/<[^<>]*>/g, "")).trim();

/** The name of a heading in links, as GitHub forms it. */
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** `from/twilio.md` is `from/twilio.html`, and each README the index of its folder. */
const htmlPath = (path: string) => path.replace(/(^|\/)README\.md$/, "$1index.md").replace(/\.md$/, ".html");

/** Where a link of a page leads in the site; null if it leaves docs/, to a file that is not part of it. */
function linkFrom(page: string, href: string): string | null {
  if (/^[a-z]+:/i.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  if (path === "") return href;
  if (normalize(join(dirname(page), path)).startsWith("..")) return null;
  return (path.endsWith(".md") ? htmlPath(path) : path) + (anchor === undefined ? "" : `#${anchor}`);
}

function render(markdown: Marked, folder: string, path: string): Page {
  const source = readFileSync(join(folder, path), "utf8");
  const anchors = new Set<string>();
  const sections: Section[] = [];
  let title = path;
  let html = "";
  for (const token of markdown.lexer(source)) {
    const rendered = markdown.parser([token]);
    if (token.type === "heading") {
      const heading = plain(rendered);
      const base = slug(heading);
      let anchor = base;
      for (let again = 1; anchors.has(anchor); again += 1) anchor = `${base}-${again}`;
      anchors.add(anchor);
      if ((token as Tokens.Heading).depth === 1) title = heading;
      sections.push({ heading, anchor, text: "" });
      html += rendered.replace(/^<h(\d)>/, `<h$1 id="${safe(anchor)}">`);
      continue;
    }
    html += rendered;
    const last = sections.at(-1);
    if (last !== undefined) last.text += `${plain(rendered).replaceAll(/\s+/g, " ")} `;
  }
  return { path, markdown: source, title, html, sections };
}

/** The groups of the index: its headings, and the links of the tables below them. */
function groupsOf(tokens: readonly Token[], inline: (cell: Token[]) => string): Group[] {
  const groups: Group[] = [];
  for (const token of tokens) {
    if (token.type === "heading" && (token as Tokens.Heading).depth === 2)
      groups.push({ name: (token as Tokens.Heading).text, links: [] });
    if (token.type !== "table") continue;
    for (const [purpose, where] of (token as Tokens.Table).rows)
      for (const link of where?.tokens.filter(({ type }) => type === "link") ?? []) {
        const { text, href } = link as Tokens.Link;
        groups.at(-1)?.links.push({ text, href, purpose: plain(inline(purpose?.tokens ?? [])) });
      }
  }
  return groups;
}

/** `titles`: those of the pages, by their paths in the site. */
function pageHtml(
  { path, title, html }: Page,
  groups: readonly Group[],
  titles: ReadonlyMap<string, string>,
): string {
  const root = "../".repeat(path.split("/").length - 1);
  const seen = new Set<string>();
  const menu = groups
    .map(({ name, links }) => {
      const items = links.flatMap(({ href }) => {
        const to = linkFrom("README.md", href)?.split("#")[0];
        const name = to === undefined ? undefined : titles.get(to);
        if (to === undefined || name === undefined || seen.has(to)) return [];
        seen.add(to);
        const current = to === htmlPath(path) ? ' aria-current="page"' : "";
        return [`<li><a href="${safe(root + to)}"${current}>${safe(name)}</a></li>`];
      });
      return items.length === 0 ? "" : `<h2>${safe(name)}</h2><ul>${items.join("")}</ul>`;
    })
    .join("");
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(title)} · Trunkline</title><style>${docsStyle}${guideStyle}</style></head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header><h1><a href="${root}index.html">Trunkline</a> <small>Documentation</small></h1><a href="${root}api.html">API reference</a></header>
<div class="page">
<nav aria-label="Pages"><label for="find">Search</label><input id="find" type="search" autocomplete="off"><ul id="found" role="status"></ul>
${menu}</nav>
<main id="content">${html}</main>
</div>
<script>${guideScript}</script>
</body>
</html>
`;
}

/** The index as `llms.txt`, with the address of each page below `base`. Form: https://llmstxt.org */
function llmsText(groups: readonly Group[], base: string): string {
  const lines = groups.map(
    ({ name, links }) =>
      `## ${name}\n\n${links
        .filter(({ href }) => linkFrom("README.md", href) !== null)
        .map(({ text, href, purpose }) => `- [${text}](${base}${href}): ${purpose}`)
        .join("\n")}\n`,
  );
  return `# Trunkline\n\n> A self-hosted service that sends SMS, WhatsApp messages and email through an account's own gateways, and an AI gateway with failover.\n\n${lines.join("\n")}`;
}

function withoutComments(html: string): string {
  const [before = "", ...rest] = html.split("<!--");
  return before + rest.map((part) => part.slice(part.indexOf("-->") + "-->".length)).join("");
}

const decisions = /^decisions\//;

/**
 * All files of the site by their path: `index.html`, `from/twilio.html`, `from/twilio.md`, `search.json`, `llms.txt`, pictures. `folder`:
 * docs/, whose README is the index. `base`: the address of the site in `llms.txt`.
 */
export function guideFiles(folder: URL, api: ApiReference, base: string): ReadonlyMap<string, SiteFile> {
  const root = fileURLToPath(folder);
  const paths = readdirSync(root, { recursive: true })
    .map((path) => String(path).replaceAll(sep, "/"))
    .sort();
  let current = "";
  const markdown = new Marked({
    renderer: {
      link({ href, tokens }) {
        const to = linkFrom(current, href);
        const text = this.parser.parseInline(tokens);
        return to === null ? text : `<a href="${safe(to)}">${text}</a>`;
      },
      image({ href, text }) {
        // The package and the image have no pictures.
        return existsSync(join(root, dirname(current), href))
          ? `<img src="${safe(href)}" alt="${safe(text)}" loading="lazy">`
          : `<em>${safe(text)}</em>`;
      },
      // What scrolls sideways is reached by the keyboard too.
      code: ({ text }) => `<pre tabindex="0"><code>${safe(text)}\n</code></pre>`,
      html: ({ text }) => withoutComments(text),
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
        const body = token.rows.map((row) => cells(row, "td")).join("");
        return `<div class="wide" tabindex="0"><table><thead>${cells(token.header, "th")}</thead><tbody>${body}</tbody></table></div>`;
      },
    },
  });
  const pages: Page[] = [];
  for (const path of paths.filter((each) => each.endsWith(".md"))) {
    current = path;
    pages.push(render(markdown, root, path));
  }
  const index = pages.find(({ path }) => path === "README.md")?.markdown ?? "";
  const groups = groupsOf(markdown.lexer(index), (tokens) => markdown.Parser.parseInline(tokens));
  const titles = new Map(pages.map(({ path, title }) => [htmlPath(path), title]));
  const files = new Map<string, SiteFile>();
  const add = (
    path: string,
    type: string,
    text: string | Buffer<ArrayBuffer>,
    contentSecurityPolicy?: string,
  ) =>
    files.set(path, {
      type,
      bytes: typeof text === "string" ? Buffer.from(text) : text,
      ...(contentSecurityPolicy === undefined ? {} : { contentSecurityPolicy }),
    });
  for (const page of pages) {
    add(htmlPath(page.path), "text/html; charset=utf-8", pageHtml(page, groups, titles), policy);
    add(page.path, "text/markdown; charset=utf-8", page.markdown);
  }
  for (const path of paths.filter((each) => each.endsWith(".png")))
    add(path, "image/png", Buffer.from(readFileSync(join(root, path))));
  // Decisions are for those who change the code; they would be found before the guides.
  const found = pages
    .filter(({ path }) => !decisions.test(path))
    .flatMap(({ path, title, sections }) =>
      sections.map(({ heading, anchor, text }) => [
        `${htmlPath(path)}#${anchor}`,
        title,
        heading,
        text.trim(),
      ]),
    );
  add("search.json", "application/json; charset=utf-8", JSON.stringify(found));
  add("llms.txt", "text/plain; charset=utf-8", llmsText(groups, base));
  add("api.html", "text/html; charset=utf-8", api.html, api.contentSecurityPolicy);
  for (const path of ["openapi.json", "reference/openapi.json"])
    add(path, "application/json; charset=utf-8", api.openapi);
  return files;
}
