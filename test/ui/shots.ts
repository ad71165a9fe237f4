// Screenshots of every page, to be looked at by a person: node test/ui/shots.ts FOLDER [PATH-PART…]

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setUp, type Visit, visit } from "./browser.ts";
import { furnish, pathsOf } from "./pages.ts";

const [folder, ...parts] = process.argv.slice(2);
if (folder === undefined) throw new Error("Usage: node test/ui/shots.ts FOLDER [PATH-PART…]");
mkdirSync(folder, { recursive: true });

async function shoot(it: Visit, look: string, into: string): Promise<void> {
  await setUp(it);
  const furnished = await furnish(it);
  for (const [name, path] of Object.entries(pathsOf(furnished))) {
    if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
    await it.page.goto(`${it.url}${path}`);
    await it.page.getByRole("heading", { level: 1 }).waitFor();
    await it.page.waitForTimeout(600);
    await it.page.screenshot({ path: join(into, `${name}-${look}.png`), fullPage: true });
  }
  for (const complaint of new Set(it.complaints)) process.stderr.write(`${look}: ${complaint}\n`);
}

for (const [look, options] of [
  ["light", { colours: "light" }],
  ["dark", { colours: "dark" }],
  ["phone", { colours: "light", width: 320 }],
] as const) {
  const it = await visit(options);
  await shoot(it, look, folder);
  await it.close();
}
process.exit(0);
