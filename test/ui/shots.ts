// Screenshots of every page, to be looked at by a person: npm run shots [-- PATH-PART…] writes them to shots/. A real system is
// seen empty, full and in trouble; in light, in dark, on a tablet and on a phone. With --docs it writes the pictures of the documentation instead, which
// show the demo.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { providerSettings } from "../scenarios/provider.ts";
import { settled, setUp, type Visit, visit } from "./browser.ts";
import { shootDocs } from "./docs-shots.ts";
import { api, ask, type Furnished, furnish, pathsOf } from "./pages.ts";

const folder = "shots";
const parts = process.argv.slice(2);
const looks = [
  ["light", "light", 1280],
  ["dark", "dark", 1280],
  ["tablet", "light", 834],
  ["phone", "light", 375],
] as const;
/** Pages that look otherwise when there is nothing yet, and when something needs a person. */
const emptyPages = [
  "overview",
  "messages",
  "scheduled",
  "inbox",
  "domains",
  "suppressions",
  "pool-usage",
  "webhooks",
  "credit",
  "api-keys",
];
const troubledPages = [
  "overview",
  "gateways",
  "gateway-broken",
  "gateway-phone",
  "pools",
  "pool",
  "pool-calls",
  "pool-keys",
  "call-failed-over",
  "messages",
];

async function shoot(at: Visit, state: string, paths: Readonly<Record<string, string>>): Promise<void> {
  const { page } = at;
  await page.clock.setFixedTime(at.it.clock.now());
  for (const [name, path] of Object.entries(paths)) {
    if (parts.length > 0 && !parts.some((part) => `${state}-${name}`.includes(part))) continue;
    for (const [look, colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${at.url}${path}`);
      await settled(at);
      // The navigation is as high as the window: the window takes the height of the page.
      const height = (await page.evaluate("document.documentElement.scrollHeight")) as number;
      await page.setViewportSize({ width, height: Math.min(4_000, height) });
      await page.screenshot({ path: join(folder, `${state}-${name}-${look}.png`) });
    }
  }
}

/** A gateway whose key is refused, a phone that is not linked, messages of unknown outcome, and a member that fails. */
async function trouble(at: Visit, { account, pool }: Furnished): Promise<void> {
  const gateways = `/accounts/${account}/gateways`;
  const broken = { identifier: "sms-main", channel: "sms", kind: "http-api", settings: providerSettings };
  await api(at, "POST", gateways, broken);
  at.it.respond(() => ({ kind: "answer", status: 401, headers: {}, body: Buffer.from("no such key") }));
  await api(at, "POST", `${gateways}/sms-main/test`, { to: "+15550000001" });
  for (let count = 0; count < 2; count++)
    await api(at, "POST", `${gateways}/sandbox-sms/test`, {
      to: "+15550000005",
      message: "Your code is 391 204.",
    });
  await at.it.advance(5_000);
  const key = await api(at, "POST", `/accounts/${account}/pools/${pool}/keys`, { name: "shop" });
  await ask(at, String(key.body.data.key), null, 3);
  await api(at, "POST", `/accounts/${account}/pools/${pool}/members`, {
    name: "azure-sweden",
    kind: "sandbox",
    models: ["echo"],
    priority: 2,
    active: false,
  });
}

/** What opens over a page, each in the page that it is most used on. */
async function shootOpen(at: Visit, { account }: Furnished): Promise<void> {
  const { page, url } = at;
  const opened = {
    "account-menu": () => page.getByRole("button", { name: "Account default" }).click(),
    "person-menu": () => page.getByRole("button", { name: "ada@acme.example operator" }).click(),
    keys: () => page.getByRole("button", { name: "Keyboard shortcuts" }).click(),
    chosen: () => page.getByRole("checkbox", { name: "Choose all that are shown" }).check(),
  };
  for (const [name, open] of Object.entries(opened)) {
    if (parts.length > 0 && !parts.some((part) => `open-${name}`.includes(part))) continue;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${url}/a/${account}/messages`);
      await settled(at);
      await open();
      await page.getByRole("group").or(page.getByRole("dialog")).or(page.getByRole("menu")).first().waitFor();
      await page.screenshot({ path: join(folder, `open-${name}-${colorScheme}.png`) });
    }
  }
}

const pick = (paths: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(paths).filter(([name]) => names.includes(name)));

if (parts.includes("--docs")) {
  const complaints = await shootDocs();
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
  process.exit(0);
}
mkdirSync(folder, { recursive: true });
const at = await visit();
await setUp(at);
const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
const none = {
  account,
  pool,
  message: "",
  webhook: "",
  delivery: "",
  call: "",
  member: "",
  domain: "",
  hook: "",
};
await shoot(at, "empty", pick(pathsOf(none), emptyPages));
const furnished = await furnish(at);
await shoot(at, "full", pathsOf(furnished));
await shootOpen(at, furnished);
await trouble(at, furnished);
const calls = await api(at, "GET", `/accounts/${account}/pools/${pool}/calls?failed_over=true`);
const more = {
  "call-failed-over": `/a/${account}/pools/${pool}/calls/${calls.body.data[0]?.id}`,
  "gateway-broken": `/a/${account}/gateways/sms-main`,
  "gateway-phone": `/a/${account}/gateways/phone`,
};
await shoot(at, "trouble", pick({ ...pathsOf(furnished), ...more }, troubledPages));
for (const complaint of new Set(at.complaints)) process.stderr.write(`${complaint}\n`);
await at.close();
process.exit(0);
