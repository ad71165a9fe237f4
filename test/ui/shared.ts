// What all journeys share: one Chromium and one build of the dashboard. `npm test` has them for all its processes, from when
// the first of them asks; a file that is run by hand has its own, which end with its process.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { askFor, type Kept, onDemand, startKeeper } from "../keeper.ts";

/** The `http:` address at which `npm test` says where the browser is, and where the built dashboard. */
export const sharedVariable = "TRUNKLINE_TEST_UI";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const program = process.env.CHROMIUM ?? places.find((path) => existsSync(path));

/** Why the journeys cannot run here, or false. */
export const missing: string | false =
  program !== undefined && existsSync(program)
    ? false
    : "There is no Chromium here. Install Debian's (apt-get install chromium), or name one in CHROMIUM.";

let browser: Promise<Kept> | null = null;
let dashboard: Promise<string> | null = null;

/** Each is made once in a process. */
const makers = {
  browser: async (): Promise<string> => {
    browser ??= startKeeper(import.meta.url, "Chromium");
    return (await browser).url;
  },
  dashboard: (): Promise<string> => {
    dashboard ??= promisify(execFile)(process.execPath, ["scripts/build-ui.mjs"]).then(({ stderr }) => {
      process.stderr.write(stderr);
      return "ui/dist";
    });
    return dashboard;
  },
};

async function shared(name: keyof typeof makers): Promise<string> {
  const address = process.env[sharedVariable];
  return address === undefined ? await makers[name]() : await askFor(new URL(name, address));
}

/** Builds the dashboard if it is stale, and returns its folder. */
export const builtDashboard = (): Promise<string> => shared("dashboard");

/** The browser, over a connection of its own: no other has its contexts, and closing it ends them. */
export async function connectBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return await chromium.connect(await shared("browser"));
}

/** What many processes share, made when the first of them asks for it at `address`. */
export async function shareOnDemand(): Promise<{ address: string; stop(): Promise<void> }> {
  const { address, close } = await onDemand({ "/browser": makers.browser, "/dashboard": makers.dashboard });
  return {
    address,
    stop: async () => {
      close();
      await (await browser?.catch(() => null))?.stop();
    },
  };
}

/**
 * What Chromium does without. The last `--disable-features` counts, so Playwright's own are among them. The first two open two pages of
 * the browser itself, the pop-ups of its address bar, in each new context: half of what a journey costs.
 */
const disabledFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

async function keep(): Promise<void> {
  // Chromium and Playwright leave files behind when they are killed.
  const folder = mkdtempSync(join(tmpdir(), "chromium-"));
  process.env.TMPDIR = folder;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { chromium } = await import("playwright-core");
  const server = await chromium.launchServer({
    executablePath: program ?? "chromium",
    args: ["--no-sandbox", `--disable-features=${disabledFeatures.join(",")}`],
    host: "127.0.0.1",
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  let stopping = false;
  server.once("close", () => {
    if (!stopping) console.error("Chromium ended by itself.");
    process.exit(stopping ? 0 : 1);
  });
  const stop = () => {
    stopping = true;
    void server.close();
  };
  process.stdin.once("close", stop).resume();
  process.stdout.write(`ready ${server.wsEndpoint()}\n`);
}

if (import.meta.main)
  keep().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
