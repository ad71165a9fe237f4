// The agents as their users start them, each in a home and a folder of its own that are empty before. Nothing but
// loopback is reached: every other host is behind a proxy that does not answer.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tools } from "./tools.ts";

export type AgentName = "codex" | "claude";

export interface AgentRun {
  code: number | null;
  /** What it printed. */
  out: string;
  err: string;
}

export interface AgentTask {
  tools: Tools;
  /** Of the server: `http://127.0.0.1:PORT`. */
  base: string;
  key: string;
  model: string;
  prompt: string;
  /** An empty folder. */
  folder: string;
}

const limitMs = 120_000;

const environment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: home,
  // Port 9 discards; there is no proxy.
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1",
  NO_COLOR: "1",
});

function start(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<AgentRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: limitMs });
    let out = "";
    let err = "";
    child.stdout.on("data", (piece) => {
      out += piece;
    });
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}

/** Where the agent works; its home is beside. */
export const workFolder = (folder: string): string => join(folder, "work");

function codex({ tools, base, key, model, prompt, folder }: AgentTask): Promise<AgentRun> {
  const home = join(folder, "home");
  const settings = join(home, ".codex");
  mkdirSync(settings, { recursive: true });
  mkdirSync(workFolder(folder));
  writeFileSync(
    join(settings, "config.toml"),
    `model = "${model}"
model_provider = "trunkline"
approval_policy = "never"
# The commands are this test's own, and its sandbox needs rights that containers lack.
sandbox_mode = "danger-full-access"
[model_providers.trunkline]
name = "Trunkline"
base_url = "${base}/api/ai/v1"
env_key = "TRUNKLINE_POOL_KEY"
wire_api = "responses"
[analytics]
enabled = false
[features]
plugins = false
apps = false
remote_plugin = false
daemon_auto_start = false
`,
  );
  return start(tools.codex, ["exec", "--skip-git-repo-check", "--json", prompt], {
    cwd: workFolder(folder),
    env: { ...environment(home), CODEX_HOME: settings, TRUNKLINE_POOL_KEY: key },
  });
}

function claude({ tools, base, key, model, prompt, folder }: AgentTask): Promise<AgentRun> {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  mkdirSync(workFolder(folder));
  const args = ["-p", prompt, "--model", model, "--allowedTools", "Bash", "--output-format", "json"];
  return start(tools.claude, args, {
    cwd: workFolder(folder),
    env: {
      ...environment(home),
      ANTHROPIC_BASE_URL: `${base}/api/ai`,
      ANTHROPIC_AUTH_TOKEN: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  });
}

export const startAgent: Record<AgentName, (task: AgentTask) => Promise<AgentRun>> = { codex, claude };
