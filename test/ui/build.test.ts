// What the dashboard's build makes: its sizes, and that nothing in it leads to another host.

import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { builtDashboard } from "./shared.ts";

const kilobyte = 1_000;

test("the dashboard builds, is within its sizes and names no other host", async () => {
  const folder = await builtDashboard();
  const index = readFileSync(join(folder, "index.html"), "utf8");
  assert.ok(!/<style|<script(?![^>]*\bsrc=)|\son\w+=/.test(index), "something is inline");
  const first = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name ?? "");
  let all = 0;
  let loaded = 0;
  let fonts = 0;
  for (const name of readdirSync(join(folder, "assets"))) {
    if (name.endsWith(".gz")) continue;
    const bytes = readFileSync(join(folder, "assets", name));
    if (name.endsWith(".woff2")) {
      if (first.includes(`assets/${name}`)) fonts += bytes.length;
      continue;
    }
    const size = gzipSync(bytes).length;
    all += size;
    if (first.includes(`assets/${name}`)) loaded += size;
    else assert.ok(size < 45 * kilobyte, `${name}: ${size} bytes`);
    const hosts = [...bytes.toString().matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host ?? "");
    // Names of XML, links in errors of React, of the router and of the components, and nothing that is fetched.
    const others = hosts.filter(
      (host) => !/^(www\.w3\.org|react\.dev|tanstack\.com|github\.com|base-ui\.com|localhost)$/.test(host),
    );
    assert.deepEqual(others, [], name);
  }
  assert.ok(loaded < 150 * kilobyte, `the document names ${loaded} bytes`);
  // What a browser loads for the first page: the code that the document names, that of the page, and what they import.
  const scripts = new Set<string>();
  const load = (name: string) => {
    if (scripts.has(name)) return;
    scripts.add(name);
    const text = readFileSync(join(folder, "assets", name), "utf8");
    for (const [, imported] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) load(imported ?? "");
  };
  for (const name of first) if (name.endsWith(".js")) load(name.slice("assets/".length));
  load(readdirSync(join(folder, "assets")).find((name) => /^overview-page-.*\.js$/.test(name)) ?? "none");
  const bytes = [...scripts].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, "assets", name))).length,
    0,
  );
  assert.ok(scripts.size <= 10, `the first page loads ${[...scripts].join(", ")}`);
  assert.ok(bytes < 150 * kilobyte, `the first page loads ${bytes} bytes of code`);
  // 340 kB for 38 pages, menus and dialogs that are loaded when they are opened, and no more for each further one.
  const opened = new Set(
    globSync("ui/src/**/*.{ts,tsx}").flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/\bimport\("([^"]+)"\)/g)].map(([, to]) => to),
    ),
  ).size;
  assert.ok(all / opened < (340 * kilobyte) / 38, `all together are ${all} bytes, of ${opened} parts`);
  // The letters of Latin alone come with the first page; others come with a text that has them.
  assert.ok(fonts > 0 && fonts < 60 * kilobyte, `the first fonts are ${fonts} bytes`);
});
