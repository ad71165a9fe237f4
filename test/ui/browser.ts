// A real browser on the real system: the dashboard as the process serves it, with the clock moved by hand.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { HashingBusy } from "#identity/password.ts";
import { type Harness, harness } from "../harness.ts";
import { builtDashboard, connectBrowser } from "./shared.ts";

export { missing } from "./shared.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Visit {
  it: Harness;
  url: string;
  page: Page;
  context: BrowserContext;
  /** What must not be there: errors of the console, violations of the policy, requests to other hosts. */
  complaints: string[];
  close(): Promise<void>;
}

/**
 * A fresh installation with its first account, and a browser that has not been there. `allow`: addresses that gateways may reach;
 * `zone`: the browser's time zone.
 */
export async function visit(
  options: { colours?: "light" | "dark"; width?: number; allow?: string; zone?: string } = {},
): Promise<Visit> {
  const dashboardFolder = await builtDashboard();
  const { allow } = options;
  const it = await harness({
    settings: { publicUrl: null, dashboardFolder },
    ...(allow === undefined ? {} : { allow }),
  });
  const url = (await it.system.app.listen({ host: "127.0.0.1", port: 0 })).replace(/\/$/, "");
  let browser: Browser;
  try {
    browser = await connectBrowser();
  } catch (error) {
    await it.close();
    throw error;
  }
  const context = await browser.newContext({
    colorScheme: options.colours ?? "light",
    viewport: { width: options.width ?? 1280, height: 800 },
    reducedMotion: "reduce",
    ...(options.zone === undefined ? {} : { timezoneId: options.zone }),
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  // An answer that refuses is in the console as well; the journeys look at what the page says about it.
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) complaints.push(request.url());
  });
  return {
    it,
    url,
    page,
    context,
    complaints,
    close: async () => {
      await browser.close();
      await it.close();
    },
  };
}

const ada = { name: "Ada", email: "ada@acme.example", password: "a long password of Ada" };
/** Of Ada's password: a hash takes 50 ms of a core. */
let hashed: Promise<string | HashingBusy> | null = null;

/**
 * Makes the account and the operator of a first start. The browser is signed in as by the page of the set-up link, and has opened no page
 * yet.
 */
export async function setUp({ it, url, context }: Visit): Promise<void> {
  await it.system.createDefaultAccount();
  const { passwords } = it.system.core;
  const { hash } = passwords;
  passwords.hash = (password) => {
    if (password !== ada.password) return hash(password);
    hashed ??= hash(password);
    return hashed;
  };
  const data = { ...ada, code: await it.system.createSetupCode() };
  const made = await context.request.post(`${url}/api/manage/v1/setup`, { data });
  assert.equal(made.status(), 200);
}

/** `setUp`, and opens the overview. */
export async function openOverview(at: Visit): Promise<void> {
  await setUp(at);
  await at.page.goto(at.url);
  await at.page.getByRole("heading", { name: "Overview" }).waitFor();
}

/** Opens the link that the start prints, and becomes the operator on its page, which leads to the overview. */
export async function setUpByHand({ it, url, page }: Visit): Promise<void> {
  await it.system.createDefaultAccount();
  const code = await it.system.createSetupCode();
  await page.goto(`${url}/setup#${code}`);
  await page.getByLabel("Name").fill(ada.name);
  await page.getByLabel("Email address").fill(ada.email);
  await page.getByLabel("Password").fill(ada.password);
  await page.getByRole("button", { name: "Make me the operator" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

/**
 * Goes to another page of the dashboard as a link to it does: the page is made anew, but the document and its scripts stay, which takes a
 * third of the time of a load.
 */
export async function follow(at: Visit, path: string): Promise<void> {
  const leave = `document.querySelector("h1").dataset.left = "";`;
  await at.page.evaluate(`{ ${leave} history.pushState(null, "", ${JSON.stringify(path)}); }`);
  await at.page.locator("h1:not([data-left])").waitFor();
  await settled(at);
}

/** Waits until what the page reads first is there. A page's stream of hints never ends, so its network is never idle. */
export async function settled({ page }: Visit): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator(".waiting").first().waitFor({ state: "detached" });
}

/**
 * Waits until something is so that no locator shows, such as what the API says by now or how far a page is scrolled. It is used in place
 * of Playwright's `waitForFunction`, which takes a promise itself for a yes, and evaluates a text in the page: at its first look the
 * browser lets it pass, at the second the pages' Content-Security-Policy forbids it.
 */
export async function until({ page }: Visit, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `${what}, in 30 s`);
    await page.waitForTimeout(50);
  }
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/**
 * Fails when axe finds something (WCAG 2.2 AA), the page is wider than the window, or the browser complained. `within`: axe looks at this
 * part alone, such as a menu that lies over links.
 */
export async function expectSound(
  { page, complaints }: Visit,
  where: string,
  within = "html",
): Promise<void> {
  await page.evaluate("document.fonts.ready");
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe);
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify(within)}, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then((r) => r.violations)`,
  )) as Violation[];
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  assert.deepEqual(found, [], `axe on ${where}`);
  const tooWide = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  assert.equal(tooWide, 0, `${where} is wider than the window`);
  assert.deepEqual(complaints, [], `the browser on ${where}`);
}

/** Controls of which a part lies beside the screen, but for those in a part that scrolls by itself. */
export const cutOff = `[...document.querySelectorAll("a, button, input, select, textarea, h1, h2")].flatMap((each) => {
  const { left, right, width, height } = each.getBoundingClientRect();
  if (width <= 1 || height <= 1 || (left >= -1 && right <= innerWidth + 1)) return [];
  for (let above = each; above !== null; above = above.parentElement)
    if (["auto", "scroll"].includes(getComputedStyle(above).overflowX) || above.matches(".skip, [aria-hidden=true]")) return [];
  return [each.outerHTML.slice(0, 120)];
})`;

/** Fails when a control or a title is cut off at the edge of the window. */
export async function expectWhole({ page }: Visit, where: string): Promise<void> {
  assert.deepEqual(await page.evaluate(cutOff), [], `cut off on ${where}`);
}
