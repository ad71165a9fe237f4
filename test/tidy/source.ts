// Reads the tree for the tidy rules: every source file, with comments and texts blanked out at their
// places, so that a rule sees code only and still knows the line. A small scanner, not a parser: it
// knows comments, quotes, templates (with code inside) and regular expressions, nothing else.

import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { posix } from "node:path";

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  text: string;
  /** Same length and lines; comments blank, texts kept. */
  withoutComments: string;
  /** Same length and lines; comments blank, texts empty between their quotes. */
  bare: string;
  imports: Import[];
  regexes: RegexLiteral[];
}

export interface RegexLiteral {
  source: string;
  flags: string;
  line: number;
}

export interface Import {
  specifier: string;
  line: number;
  /** `import(…)` */
  lazy: boolean;
  /** `import type`, `export type … from` */
  typeOnly: boolean;
  /** The repository path of a file of ours; null: a package or a part of Node. */
  target: string | null;
}

export interface Finding {
  path: string;
  line: number;
  what: string;
}

/** All `.ts` and `.tsx` files under a folder of the repository but those of packages, sorted; none when there is no such folder. */
export function readSources(folder: string): SourceFile[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
  return names
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("/node_modules/"))
    .sort()
    .map((path) => parseSource(path, readFileSync(path, "utf8")));
}

export function parseSource(path: string, text: string): SourceFile {
  const { withoutComments, bare, regexes } = blank(text);
  return { path, text, withoutComments, bare, imports: findImports(path, withoutComments, bare), regexes };
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** Every match of a pattern in the code of a file, as findings. */
export function findCode(file: SourceFile, pattern: RegExp, what: string): Finding[] {
  return [...file.bare.matchAll(pattern)].map((match) => ({
    path: file.path,
    line: lineAt(file.bare, match.index),
    what,
  }));
}

/** Whether anything runs in this file, types aside. */
export function hasLogic(file: SourceFile): boolean {
  const { bare } = blank(stripTypeScriptTypes(file.text));
  return /\bfunction\b|=>|\bclass\b|\bawait\b/.test(bare);
}

function findImports(path: string, withoutComments: string, bare: string): Import[] {
  const pattern =
    /(?:^|[;}\n])\s*(import|export)(\s+type)?\b[^;'"`]*?\bfrom\s*(["'])|(?:^|[;}\n])\s*import\s*(["'])|\bimport\s*\(\s*(["'])/g;
  const imports: Import[] = [];
  for (const match of bare.matchAll(pattern)) {
    const start = match.index + match[0].length;
    const quote = match[3] ?? match[4] ?? match[5] ?? '"';
    const specifier = withoutComments.slice(start, withoutComments.indexOf(quote, start));
    imports.push({
      specifier,
      line: lineAt(bare, start),
      lazy: match[5] !== undefined,
      typeOnly: match[2] !== undefined,
      target: targetOf(path, specifier),
    });
  }
  return imports;
}

/** The repository path of a file of ours; null: a package or a part of Node. */
export function targetOf(path: string, specifier: string): string | null {
  if (specifier.startsWith("#ui/")) return posix.join("ui/src", specifier.slice(4));
  if (specifier.startsWith("#")) return posix.join("src", specifier.slice(1));
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  return null;
}

/** What may stand before a `/` that starts a regular expression rather than divides. */
const beforeRegex =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield))\s*$/;

function blank(text: string): Pick<SourceFile, "withoutComments" | "bare" | "regexes"> {
  const noComments: string[] = [];
  const code: string[] = [];
  const regexes: RegexLiteral[] = [];
  /** Open template literals: how many braces are open inside the `${` of each. */
  const templates: number[] = [];
  let at = 0;
  const take = (length: number, keepIn: "both" | "text" | "none") => {
    const piece = text.slice(at, at + length);
    const empty = piece.replace(/[^\n]/g, " ");
    noComments.push(keepIn === "none" ? empty : piece);
    code.push(keepIn === "both" ? piece : empty);
    at += length;
  };
  /** From inside a template up to its end or to the next `${`. */
  const takeTemplate = () => {
    let end = at;
    while (end < text.length && text[end] !== "`" && !text.startsWith("${", end))
      end += text[end] === "\\" ? 2 : 1;
    take(end - at, "text");
    if (text[at] === "`") {
      take(1, "both");
      templates.pop();
    } else take(2, "both");
  };
  while (at < text.length) {
    const char = text[at];
    const open = templates.length - 1;
    if (text.startsWith("//", at)) take(endOf(text, "\n", at) - at, "none");
    else if (text.startsWith("/*", at)) take(endOf(text, "*/", at + 2) + 2 - at, "none");
    else if (char === '"' || char === "'") {
      let end = at + 1;
      while (end < text.length && text[end] !== char && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
      take(1, "both");
      take(end - at, "text");
      if (text[at] === char) take(1, "both");
    } else if (char === "`") {
      take(1, "both");
      templates.push(0);
      takeTemplate();
    } else if (char === "{" && open >= 0) {
      templates[open] = (templates[open] ?? 0) + 1;
      take(1, "both");
    } else if (char === "}" && open >= 0) {
      take(1, "both");
      if (templates[open] === 0) takeTemplate();
      else templates[open] = (templates[open] ?? 0) - 1;
    } else if (char === "/" && beforeRegex.test(lastLine(code))) {
      const length =
        /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//.exec(text.slice(at, at + 2000))?.[0].length ?? 1;
      if (length > 1) {
        const [flags] = /^[a-z]*/.exec(text.slice(at + length, at + length + 10)) ?? [""];
        regexes.push({ source: text.slice(at + 1, at + length - 1), flags, line: lineAt(text, at) });
      }
      take(length, length === 1 ? "both" : "text");
    } else {
      const plain = /^[^/"'`{}]+/.exec(text.slice(at, at + 4000))?.[0].length ?? 1;
      take(plain, "both");
    }
  }
  return { withoutComments: noComments.join(""), bare: code.join(""), regexes };
}

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end === -1 ? text.length : end;
}

function lastLine(pieces: readonly string[]): string {
  return pieces.slice(-4).join("").slice(-200);
}

/** The paths that `starts` load, directly or through others: imports of types alone are not followed. */
export function loadedBy(sources: readonly SourceFile[], starts: readonly string[]): ReadonlySet<string> {
  const files = new Map(sources.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { target, typeOnly } of files.get(path)?.imports ?? [])
      if (!typeOnly && target !== null) visit(target);
  };
  for (const start of starts) visit(start);
  return reached;
}
