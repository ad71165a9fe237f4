// The built dashboard, for tests.

import { execFileSync } from "node:child_process";

/** Builds the dashboard if it is stale, and returns its folder. */
export function builtDashboard(): string {
  execFileSync(process.execPath, ["scripts/build-ui.mjs"], { stdio: "inherit" });
  return "ui/dist";
}
