// The coding agents that `npm run test:agents` drives. They are no devDependencies: both are native programs of
// hundreds of megabytes. The run installs them once, without their install scripts, into a folder of their own.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Versions that the test is known to pass with. */
const versions = { "@openai/codex": "0.169.0", "@anthropic-ai/claude-code": "2.1.332" };

export interface Tools {
  codex: string;
  claude: string;
}

/** Where the agents are in this folder. Installs them when one is missing; throws when that fails. */
export function installedTools(folder: string): Tools {
  const packages = join(folder, "node_modules");
  const platform = `${process.platform}-${process.arch}`;
  const tools = {
    codex: join(packages, ".bin/codex"),
    claude: join(packages, `@anthropic-ai/claude-code-${platform}/claude`),
  };
  if (Object.values(tools).every((path) => existsSync(path))) return tools;
  console.log(`The agents are installed into ${folder}. This takes about a minute, once.`);
  mkdirSync(folder, { recursive: true });
  const names = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", ["install", "--prefix", folder, ...flags, ...names], {
    stdio: "inherit",
    timeout: 600_000,
  });
  const missing = Object.values(tools).filter((path) => !existsSync(path));
  if (status !== 0 || missing.length > 0) throw new Error(`Not installed: ${missing.join(", ")}`);
  return tools;
}
