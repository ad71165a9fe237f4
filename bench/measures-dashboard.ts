// The dashboard over a million messages, in a real browser: when rows are there, how the log scrolls, how soon a new message appears, and
// what ten open dashboards cost the service.

import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import { request } from "undici";
import { expectClean, type Figure, figure, type Measure, ms, onStage, pause, perSecond } from "./figure.ts";
import { apiKey, heldGateway, operatorToken, type Stage } from "./stage.ts";

const isShort = process.argv.includes("--short");
const stored = isShort ? 20_000 : 1_000_000;
const scrolled = isShort ? 1_000 : 20_000;
const dashboards = 10;
const sendsMs = isShort ? 1_000 : 5_000;
const email = "bench@example.com";
const password = "a long password of the bench";
const places = [process.env.CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome"];

async function manage<T>(base: string, path: string, body?: object): Promise<T> {
  const answer = await request(`${base}/api/manage/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { data: T }).data;
}

async function sendOne(base: string, message: string): Promise<void> {
  const contact = [{ number: "+4915112345678", message, gateway_identifier: heldGateway }];
  const answer = await request(`${base}/api/sms/send`, {
    method: "POST",
    headers: { "api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ contact }),
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the send answered ${answer.statusCode}`);
}

/** A row of the log; its head is another part of the table. */
const firstRow = (page: Page) => page.locator("tbody tr").first();

async function rowsAfter(page: Page, load: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await load();
  await firstRow(page).waitFor();
  return performance.now() - begun;
}

/** For the page: as a text, because there are no types of a browser here. */
const scrollScript = (rows: number) => `(async () => {
  const reached = () => Number(document.querySelector("table")?.getAttribute("aria-rowcount") ?? 0);
  const begun = performance.now();
  let [frames, slow, last] = [0, 0, begun];
  while (reached() < ${rows} && performance.now() - begun < 300_000) {
    window.scrollTo(0, document.documentElement.scrollHeight);
    const now = await new Promise((resolve) => requestAnimationFrame(resolve));
    frames += 1;
    if (now - last > 50) slow += 1;
    last = now;
  }
  return { ms: performance.now() - begun, slow, frames, rows: reached() };
})()`;

interface Scrolled {
  ms: number;
  /** Frames that took longer than 50 ms. */
  slow: number;
  frames: number;
  rows: number;
}

async function sends(stage: Stage, base: string): Promise<number> {
  const ask = { kind: "single", gateway: heldGateway, scheduleAt: null } as const;
  const job = { ask, connections: 64, requests: Number.POSITIVE_INFINITY, restMs: 0 };
  const result = await stage.run({ base }, { ...job, durationMs: sendsMs, warmupMs: 2_000 });
  expectClean(result);
  return result.perSecond;
}

export const dashboard: Measure = (engine) =>
  onStage(engine, async (stage): Promise<Figure[]> => {
    const executablePath = places.find((path) => existsSync(path));
    if (executablePath === undefined) return [figure("dashboard", "there is no Chromium here")];
    const server = await stage.start();
    const { base } = server;
    const contacts = 10_000;
    const ask = { kind: "bulk", gateways: [heldGateway], contacts, scheduleAt: null } as const;
    const bulk = { ask, connections: 1, requests: stored / contacts, durationMs: 600_000, warmupMs: 0 };
    expectClean(await stage.run(server, { ...bulk, restMs: 0 }));
    const alone = [await sends(stage, base)];
    const [account] = await manage<{ id: string }[]>(base, "/accounts");
    await manage(base, "/users", { name: "Bench", email, password, role: "operator" });
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(`${base}/sign-in`);
      await page.getByLabel("E-mail address").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      const log = `${base}/a/${account?.id}/messages`;
      const cold = await rowsAfter(page, () => page.goto(log));
      const warm = await rowsAfter(page, () => page.reload());
      const text = `Seen at ${Date.now()}`;
      await sendOne(base, text);
      const begun = performance.now();
      await page.getByText(text).first().waitFor();
      const seenMs = performance.now() - begun;
      const { ms: scrollMs, slow, frames, rows } = (await page.evaluate(scrollScript(scrolled))) as Scrolled;
      await page.goto(`${base}/a/${account?.id}`);
      for (let more = 1; more < dashboards; more += 1)
        await (await context.newPage()).goto(more % 2 === 0 ? log : `${base}/a/${account?.id}`);
      await pause(3_000);
      const watched = [await sends(stage, base)];
      await browser.close();
      await pause(3_000);
      alone.push(await sends(stage, base));
      const rate = alone.reduce((sum, each) => sum + each, 0) / alone.length;
      const share = (watched[0] ?? 0) / rate;
      const count = stored.toLocaleString("en-US");
      return [
        figure(
          `the log of ${count} messages: rows are there, first load`,
          ms(cold),
          "< 1,000 ms",
          cold < 1_000,
        ),
        figure("  the same, loaded again", ms(warm), "< 1,000 ms", warm < 1_000),
        figure("  a new message is in the open log after", ms(seenMs), "< 2,000 ms", seenMs < 2_000),
        figure(
          `  scrolled to row ${rows.toLocaleString("en-US")}; frames over 50 ms`,
          `${(scrollMs / 1000).toFixed(1)} s; ${slow} of ${frames}`,
        ),
        figure(`single sends with ${dashboards} dashboards open`, perSecond(watched[0] ?? 0)),
        figure("  of the rate without them", `${(share * 100).toFixed(1)} %`, "≥ 98 %", share >= 0.98),
      ];
    } finally {
      await browser.close();
    }
  });
