// Which exports no other file uses. TypeScript's own rule finds what is dead inside a file once it is not exported.
// Read by patterns: the sources are formatted, so an export begins its line.

import { targetOf } from "./source.ts";

/** The text of a file by its path in the repository. */
export type Texts = ReadonlyMap<string, string>;

export interface UnusedExport {
  path: string;
  name: string;
  line: number;
}

const declared =
  /^export (?:default )?(?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type) (\w+)/gm;
const destructured = /^export const \{([^}]*)\} =/gm;
const listed = /^export (?:type )?\{([^}]*)\};$/gm;
const named = /\b(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*"([^"]+)"/g;
const whole = /\bimport\s+\*\s+as\s+\w+\s+from\s*"([^"]+)"|\bimport\(\s*(?:[\w.]+\()?\s*"([^"]+)"/g;
const ofType = /\bimport\("([^"]+)"\)\.(\w+)/g;

/** Exports of `files` that no other file of `users` imports. A namespace or a lazy import uses all of a file. */
export function unusedExports(files: Texts, users: Texts): UnusedExport[] {
  const used = new Set<string>();
  for (const [path, text] of users) {
    const use = (specifier: string, name: string) => used.add(`${targetOf(path, specifier)} ${name}`);
    for (const [, names = "", specifier = ""] of text.matchAll(named))
      for (const name of namesIn(names)) use(specifier, name);
    for (const [, specifier = "", name = ""] of text.matchAll(ofType)) use(specifier, name);
    for (const [, spaced, lazy] of text.matchAll(whole)) use(spaced ?? lazy ?? "", "*");
  }
  return [...files].flatMap(([path, text]) =>
    exportsOf(text)
      .filter(({ name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
      .map((found) => ({ path, ...found })),
  );
}

function exportsOf(text: string): { name: string; line: number }[] {
  const lineOf = (at: number) => text.slice(0, at).split("\n").length;
  return [
    ...[...text.matchAll(declared)].map(({ 1: name = "", index }) => ({ name, line: lineOf(index) })),
    ...[...text.matchAll(destructured), ...text.matchAll(listed)].flatMap(({ 1: names = "", index }) =>
      namesIn(names, -1).map((name) => ({ name, line: lineOf(index) })),
    ),
  ];
}

/** The names in braces. Of `a as b` and `a: b` the first is the name of an import, the last (-1) that of an export. */
const namesIn = (list: string, at: 0 | -1 = 0) =>
  list
    .split(",")
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type /, "")
          .split(/ as |:/)
          .at(at)
          ?.trim() ?? "",
    )
    .filter((name) => name !== "");
