// Rules of the dashboard's source tree: who may import whom, who talks to the server, where colours are written down.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";

const files = globSync("ui/src/**/*.{ts,tsx,css}")
  .map((path) => path.replaceAll("\\", "/"))
  .map((path) => ({ path, text: readFileSync(path, "utf8"), folder: path.split("/")[2] ?? "" }));

/** Imports run from a higher rank to a lower one; folders that are not listed are pages, of rank 2. Some are made of several. */
const ranks: Readonly<Record<string, number>> = {
  "main.tsx": 4,
  app: 3,
  people: 2.5,
  connect: 2.5,
  "schema-form": 1.5,
  parts: 1,
  api: 0,
  words: 0,
};

test("imports of the dashboard run downwards, and pages never see each other", () => {
  const found: string[] = [];
  for (const { path, text, folder } of files) {
    for (const [, to = ""] of text.matchAll(/(?:from|import\()\s*"#ui\/([\w-]+)/g)) {
      if (to !== folder && (ranks[to] ?? 2) >= (ranks[folder] ?? 2)) found.push(`${path} imports ${to}`);
    }
    if (/from "[.]{2}\//.test(text)) found.push(`${path} climbs out of its folder`);
  }
  assert.deepEqual(found, []);
});

test("only api/ talks to the server, nothing becomes markup, no command is of one place, buttons are `Button`, and colours are in tokens.css alone", () => {
  const rules: [RegExp, RegExp][] = [
    [/\bfetch\(|XMLHttpRequest|new EventSource/, /^ui\/src\/(api\/|send\/snippets\.ts)/],
    [/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML/, /^$/],
    [/#[0-9a-f]{3,8}\b(?=[;,)\s])|\brgb\(\d+ \d+ \d+\)/, /tokens\.css$/],
    // How a command is written depends on where the service is installed: it says so itself.
    [/\bnpm (?:run|start)\b/, /api\/(schema|operations)\.ts$/],
    // The buttons of menus and switches have a look of their own.
    [/<button\b/, /(app\/frame\/(navigation|person-menu|account-menu)|parts\/(button|form\/choices))\.tsx$/],
    [/https?:\/\/(?!www\.w3\.org)\w/, /schema\.ts$/],
  ];
  const found = files.flatMap(({ path, text }) =>
    rules.filter(([what, home]) => what.test(text) && !home.test(path)).map(([what]) => `${path}: ${what}`),
  );
  assert.deepEqual(found, []);
});

test("of the service's sources the dashboard takes only what its build knows", () => {
  const taken = files.flatMap(({ text }) =>
    [...text.matchAll(/from "#(?!ui\/)([^"]+)"/g)].map(([, path]) => `src/${path}`),
  );
  assert.deepEqual([...new Set(taken)], ["src/contract/messages/segments.ts"]);
  const builder = readFileSync("scripts/build-ui.mjs", "utf8");
  for (const path of taken) assert.ok(builder.includes(path), path);
});

test("one component has the order of the buttons of dialogs and forms, and the verb is its last", () => {
  const own = files.filter(({ text }) => /className="foot"|more\}\s*<\/div>/.test(text));
  assert.deepEqual(
    own.map(({ path }) => path),
    ["ui/src/parts/over/foot.tsx"],
  );
  const order = own[0]?.text.match(/(?<=[>\s])\{(more|back|verb)\}(?=[<\s])/g);
  assert.deepEqual(order, ["{more}", "{back}", "{verb}"]);
});

test("a recipient is read in groups: by `Recipient` or `Digits` in a page, by `inGroups` in a sentence", () => {
  const found = files.flatMap(({ path, text }) => {
    const shown = text.match(/(?<![=$])\{(?:\w+\.)*recipient(?:Of\([\w.]+\))?\}/g) ?? [];
    // Texts without a word, and the names of drafts, are keys.
    const sentences = [...text.matchAll(/(?<!for: )`([^`]*recipient[^`]*)`/g)]
      .map(([, sentence = ""]) => sentence)
      .filter((sentence) => /\$\{(?:\w+\.)*recipient(?:Of\([\w.]+\))?\}/.test(sentence))
      .filter((sentence) => /[a-z]{2}/.test(sentence.replaceAll(/\$\{[^}]*\}/g, "")));
    return path.endsWith(".tsx") ? [...shown, ...sentences].map((each) => `${path}: ${each}`) : [];
  });
  assert.deepEqual(found, []);
});

test("no test uses waitForFunction: the pages' policy forbids its second look, and it takes a promise for a yes", () => {
  const found = globSync("test/ui/**/*.ts").filter((path) =>
    /\.waitForFunction\(/.test(readFileSync(path, "utf8")),
  );
  assert.deepEqual(found, []);
});
