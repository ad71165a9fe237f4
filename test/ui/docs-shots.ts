// The pictures of the documentation: the demo at the end of its month, on a clock that does not move.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemSettings } from "#command-line/open.ts";
import { readConfig } from "#config.ts";
import { gateways } from "#demo/installation.ts";
import { apiKey, playDemo, poolKey } from "#demo/open-demo.ts";
import { seededRandom } from "../harness.ts";
import { testPasswordCost } from "../password-cost.ts";
import { builtDashboard, connectBrowser } from "./shared.ts";

/** A Friday in the afternoon. */
const now = Date.UTC(2026, 10, 27, 15, 10);
const operator = {
  name: "Robin Harper",
  email: "robin@harbour-coffee.example",
  password: "only for pictures",
};

type Rows = Record<string, string>[];

/** Writes them to docs/images; returns what the browser complained about. */
export async function shootDocs(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-pictures-"));
  const allowed = () => null;
  const read = readConfig({ TRUNKLINE_DATA_DIR: folder }, { OUTBOUND_ALLOW: allowed, PRICES: allowed });
  if ("errors" in read) throw new Error(read.errors.join(" "));
  const dashboardFolder = await builtDashboard();
  const settings = { ...systemSettings(read.config), dashboardFolder, passwordCost: testPasswordCost };
  const demo = await playDemo({ path: join(folder, "trunkline.db"), settings, now, random: seededRandom() });
  const url = (await demo.system.app.listen({ host: "127.0.0.1", port: 0 })).replace(/\/$/, "");
  for (let call = 0; call < 5; call++) await ask(url, demo.clock.advance);
  const browser = await connectBrowser();
  const context = await browser.newContext({ reducedMotion: "reduce", timezoneId: "Europe/London" });
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  const data = { ...operator, code: await demo.system.createSetupCode() };
  await context.request.post(`${url}/api/manage/v1/setup`, { data });
  const manage = async (path: string): Promise<Rows> =>
    (await (await context.request.get(`${url}/api/manage/v1${path}`)).json()).data;
  const account = `/accounts/${(await manage("/accounts"))[0]?.id}`;
  const messages = async (query: string): Promise<Rows> => {
    const asked = await context.request.get(`${url}/api/get/${query}`, { headers: { "api-key": apiKey } });
    return (await asked.json()).data;
  };
  const message = (await messages("whatsapp?limit=200")).find(({ status }) => status === "read");
  const pool = (await manage(`${account}/pools`))[0];
  const webhook = (await manage(`${account}/webhooks`))[1];
  const at = account.replace("/accounts/", "/a/");
  const pictures: Readonly<Record<string, readonly [path: string, colours: "light" | "dark"]>> = {
    overview: ["/", "light"],
    messages: [`${at}/messages`, "light"],
    message: [`${at}/messages/${message?.id}`, "light"],
    gateway: [`${at}/gateways/${gateways.campaigns}`, "light"],
    pool: [`${at}/pools/${pool?.id}`, "dark"],
    webhook: [`${at}/webhooks/${webhook?.id}`, "dark"],
  };
  await page.clock.setFixedTime(demo.clock.now());
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const [name, [path, colorScheme]] of Object.entries(pictures)) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto(`${url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator(".waiting").first().waitFor({ state: "detached" });
    await page.waitForTimeout(500);
    await page.screenshot({ path: join("docs/images", `${name}.png`) });
  }
  await browser.close();
  await demo.close();
  rmSync(folder, { recursive: true, force: true });
  return complaints;
}

/** A call whose answer takes the clock's time. */
async function ask(url: string, advance: (ms: number) => Promise<void>): Promise<void> {
  let isDone = false;
  const called = fetch(`${url}/api/ai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${poolKey}website-chat`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Where is my order?" }] }),
  }).finally(() => {
    isDone = true;
  });
  while (!isDone) await advance(500);
  await (await called).arrayBuffer();
}
