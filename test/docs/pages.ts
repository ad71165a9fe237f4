// The pages of the documentation, and the blocks of code in them.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** What a reader of the repository finds, without the dependencies' own pages. */
export const pages = [
  ...globSync("*.md"),
  ...globSync("{docs,examples,clients,integrations,deploy,bench,test}/**/*.md", {
    exclude: ["**/node_modules/**"],
  }),
].toSorted();

/** Pages whose blocks are commands and programs for readers; `test/clients-*` runs those of `clients/`. */
export const guides = pages.filter((path) =>
  /^(?:README\.md|docs\/[\w-]+\.md|docs\/from\/|examples\/)/.test(path),
);

export interface Block {
  page: string;
  line: number;
  /** The word behind the fence; empty without one. */
  language: string;
  /** Without the indentation of a list around it. */
  code: string;
  /** Why it is no whole program, from `<!-- fragment: … -->` before it. */
  fragment: string | null;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const lines = readFileSync(page, "utf8").split("\n");
  const blocks: Block[] = [];
  let fragment: string | null = null;
  for (let at = 0; at < lines.length; at += 1) {
    const text = lines[at] ?? "";
    const mark = /^ *<!-- fragment: (.+) -->$/.exec(text);
    if (mark !== null) fragment = mark[1] ?? "";
    const fence = /^( *)```(\w*)$/.exec(text);
    if (fence !== null) {
      const [, indentation = "", language = ""] = fence;
      const end = lines.indexOf(`${indentation}\`\`\``, at + 1);
      if (end === -1) throw new Error(`${page}:${at + 1}: the block has no end`);
      const code = lines.slice(at + 1, end).map((line) => line.slice(indentation.length));
      blocks.push({ page, line: at + 1, language, code: `${code.join("\n")}\n`, fragment });
      at = end;
    }
    if (mark === null && text.trim() !== "") fragment = null;
  }
  return blocks;
}

/** The text of a page without its code, in which a bracket is no link. */
export const proseOf = (page: string): string =>
  readFileSync(page, "utf8")
    .replace(/^( *)```[\s\S]*?^\1```$/gm, "")
    .replace(/`[^`\n]*`/g, "``");

/** The anchors of a page: GitHub's of its headings, and those that it names itself. */
export function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, "utf8").replace(/^( *)```[\s\S]*?^\1```$/gm, "");
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id ?? ""));
  for (const [, heading = ""] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Where a relative link of a page leads: a path from the root, and the anchor behind it. */
export function targetOf(page: string, link: string): { path: string; anchor: string } {
  const [path = "", anchor = ""] = link.split("#");
  return { path: path === "" ? page : normalize(join(dirname(page), path)), anchor };
}
