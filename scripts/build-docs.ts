// `npm run docs:site -- FOLDER`: writes the documentation as a site of files for a web server, with the reference of the API. Needs no other
// host when it is read. `--base=URL`: its address in `llms.txt`.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { siteFiles } from "#http/pages/site.ts";

const folder = process.argv.slice(2).find((word) => !word.startsWith("--"));
const base = process.argv.find((word) => word.startsWith("--base="))?.slice("--base=".length) ?? "";
if (folder === undefined) {
  console.error("Name a folder: npm run docs:site -- FOLDER");
  process.exit(1);
}
const files = siteFiles({ folder: new URL("../docs/", import.meta.url).href, base });
for (const [path, { bytes }] of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
}
console.log(`${files.size} files in ${folder}`);
