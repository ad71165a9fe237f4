// Finds the codes of errors that the source can say, wherever they stand: as the value of something called `code`, as
// the argument for a parameter called `code`, or behind an error's type. By the text of the source, so it needs no
// list of places; a code that is put together at run time (`http_${status}`) is found by its literal beginning.

import { lineAt, type SourceFile } from "./source.ts";

export interface CodeFound {
  code: string;
  path: string;
  line: number;
}

const literal = /(["'])([A-Za-z][\w.-]*)\1|`([a-z]+_)\$\{/g;
/** What comes before a literal that is compared with, or asked of a set, and not said. */
const asked = /(?:[=!]==?|\bcase|\bhas\(|\bincludes\(|\btypeof)\s*$/;

/** From `start` to the end of the expression: a separator or a closing bracket outside of its own brackets. */
function expressionEnd(bare: string, start: number, separators: string): number {
  let depth = 0;
  for (let at = start; at < bare.length; at++) {
    const char = bare[at]!;
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && separators.includes(char)) return at;
  }
  return bare.length;
}

function literalsIn({ path, withoutComments }: SourceFile, start: number, end: number): CodeFound[] {
  const text = withoutComments.slice(start, end);
  return [...text.matchAll(literal)]
    .filter((match) => !asked.test(text.slice(0, match.index)))
    .map((match) => ({
      code: match[2] ?? `${match[3]}…`,
      path,
      line: lineAt(withoutComments, start + match.index),
    }));
}

/** The places of arguments, from the start of the first: `[start, end]` of each. */
function argumentsFrom(bare: string, start: number): [number, number][] {
  const places: [number, number][] = [];
  for (let at = start; ; ) {
    const end = expressionEnd(bare, at, ",");
    places.push([at, end]);
    if (bare[end] !== ",") return places;
    at = end + 1;
  }
}

/** Functions with a parameter called `code`, by name, and which one it is. */
export function takingCodes(files: readonly SourceFile[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { bare } of files) {
    for (const match of bare.matchAll(/(?:\bfunction\s+(\w+)|\bconst\s+(\w+)\s*=\s*(?:async\s*)?)\(/g)) {
      const parameters = argumentsFrom(bare, match.index + match[0].length);
      const index = parameters.findIndex(([start, end]) => /^\s*code\??\s*[:=]/.test(bare.slice(start, end)));
      if (index !== -1) found.set(match[1] ?? match[2]!, index);
    }
  }
  return found;
}

/** Every code that a file says. `functions`: what `takingCodes` found in all files. */
export function codesIn(file: SourceFile, functions: ReadonlyMap<string, number>): CodeFound[] {
  const { bare, withoutComments, path } = file;
  const found: CodeFound[] = [];
  for (const match of bare.matchAll(/\b(?:error_)?code\s*(?::|=(?![=>]))/g)) {
    const start = match.index + match[0].length;
    found.push(...literalsIn(file, start, expressionEnd(bare, start, ",;")));
  }
  for (const [name, index] of functions) {
    for (const match of bare.matchAll(new RegExp(`(?<!function\\s+)\\b${name}\\(`, "g"))) {
      const place = argumentsFrom(bare, match.index + match[0].length)[index];
      if (place !== undefined) found.push(...literalsIn(file, ...place));
    }
  }
  const typed = /"(?:invalid_request_error|server_error|requests|tokens)",\s*"([a-z_]+)"/g;
  for (const match of withoutComments.matchAll(typed))
    found.push({ code: match[1]!, path, line: lineAt(withoutComments, match.index) });
  return found;
}
