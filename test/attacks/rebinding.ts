// DNS rebinding against the whole service, in a network of its own: a private mount and network namespace in which
// /etc/resolv.conf names our name server, a public address and many inner ones are ours, and nothing leads out. Linux,
// as root or with unprivileged user namespaces; elsewhere it says that it cannot be played.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface RebindingResult {
  /** False: something was reached. */
  held: boolean;
  lines: string[];
}

/** The flags with which `unshare` works here; null: it does not. */
function namespaceFlags(): string[] | null {
  for (const flags of [
    ["--mount", "--net"],
    ["--map-root-user", "--mount", "--net"],
  ]) {
    const tried = spawnSync("unshare", [...flags, "ip", "link", "set", "lo", "up"]);
    if (tried.status === 0) return flags;
  }
  return null;
}

/** Plays it and tells what was seen, in lines for people. */
export async function playRebinding(): Promise<RebindingResult> {
  const flags = process.platform === "linux" ? namespaceFlags() : null;
  if (flags === null) {
    const why = "this system has no `unshare` and `ip` that make a private network";
    return { held: true, lines: [`DNS rebinding in a private network: NOT PLAYED: ${why}.`] };
  }
  const entry = fileURLToPath(new URL("./rebinding-inside.ts", import.meta.url));
  const child = spawn(
    "unshare",
    [...flags, process.execPath, "--disable-warning=ExperimentalWarning", entry],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  const overdue = setTimeout(() => child.kill("SIGKILL"), 300_000);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(overdue);
  return { held: code === 0, lines: output.trimEnd().split("\n") };
}

if (import.meta.main) {
  const { held, lines } = await playRebinding();
  console.log(lines.join("\n"));
  process.exit(held ? 0 : 1);
}
