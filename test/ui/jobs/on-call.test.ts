// The operator on call, without a mouse: a gateway that is paused, a pool that fails over, an installation that was restored.

import assert from "node:assert/strict";
import test from "node:test";
import { holdPending } from "#store/maintenance/restore-hold.ts";
import { providerSettings } from "../../scenarios/provider.ts";
import { expectSound, missing, openOverview, setUp, type Visit, visit } from "../browser.ts";
import { api, ask } from "../pages.ts";
import { expectFocusKept, find, goTo, goToPage, press, write } from "./keyboard.ts";

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

test("the overview names a paused gateway with the provider's words and counts down; tried again it goes on, and the pause is in its record", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  const account = await accountOf(at);
  await page.clock.setFixedTime(it.clock.now());
  const settings = { identifier: "broken", channel: "sms", kind: "http-api", settings: providerSettings };
  assert.equal((await api(at, "POST", `/accounts/${account}/gateways`, settings)).status, 201);
  let status = 401;
  it.respond(() => ({
    kind: "answer",
    status,
    headers: {},
    body: Buffer.from(status === 401 ? "no such key" : '{"id":"ref-1"}'),
  }));
  await api(at, "POST", `/accounts/${account}/gateways/broken/test`, { to: "+15550000001" });
  await it.advance(2_000);
  const line = page
    .getByRole("region", { name: "Needs attention" })
    .locator("tr", { hasText: "no such key" });
  await line.getByText("paused").waitFor();
  const shown = await api(at, "GET", `/accounts/${account}/gateways/broken`);
  const { pause } = shown.body.data as unknown as { pause: { until: string } };
  for (const left of [4, 2]) {
    await page.clock.setFixedTime(Date.parse(pause.until) - left * 1_000);
    await line.getByText(`in ${left} s`).waitFor();
  }

  await press(at, line.getByRole("link", { name: "broken", exact: true }));
  await page.getByRole("heading", { name: "broken", level: 1 }).waitFor();
  const notice = page.locator(".notice", { hasText: "The provider answered 401: no such key" });
  await notice.getByText("The provider refuses the credentials").waitFor();
  await notice.getByRole("link", { name: "Edit the settings" }).waitFor();
  status = 200;
  await press(at, page.getByRole("button", { name: "Retry now" }));
  await page.getByRole("button", { name: "Retry now" }).waitFor({ state: "detached" });
  await it.advance(5_000);
  await notice.waitFor({ state: "detached" });
  await expectFocusKept(at);
  const pauses = page.getByRole("region", { name: "Pauses" });
  await pauses.getByText("The provider answered 401: no such key").waitFor();
  await pauses.getByText("still", { exact: true }).waitFor({ state: "detached" });
  await expectSound(at, "a gateway that goes on");
  await goToPage(at, "o", "Overview");
  await line.waitFor({ state: "detached" });
});

test("one press from the overview says which member of a pool is down and why; who answered instead, what it cost, and a question of one's own", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  const account = await accountOf(at);
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  const path = `/accounts/${account}/pools/${pool}`;
  const member = { name: "eu-west", kind: "sandbox", models: ["failing"], priority: 0 };
  assert.equal((await api(at, "POST", `${path}/members`, member)).status, 201);
  const { key } = (await api(at, "POST", `${path}/keys`, { name: "shop" })).body.data;
  await ask(at, String(key), null, 3);
  await page.clock.setFixedTime(it.clock.now());
  await page.reload();

  const line = page.getByRole("region", { name: "Needs attention" }).locator("tr", { hasText: "eu-west" });
  await line.getByText("down").first().waitFor();
  await press(at, line.getByRole("link", { name: "View" }));
  await page.getByRole("heading", { name: "default", level: 1 }).waitFor();
  const tiers = page.locator(".tier");
  await tiers.nth(0).getByText("down", { exact: true }).waitFor();
  await tiers
    .nth(0)
    .getByText(/failed twice in a row/)
    .waitFor();
  await tiers
    .nth(0)
    .getByText(/^Asked \d+, failed \d+ since/)
    .waitFor();
  assert.match((await tiers.nth(1).getAttribute("class")) ?? "", /\bserving\b/);
  await tiers.nth(1).getByText("serves now, because none above is up").waitFor();
  await press(at, tiers.nth(0).getByRole("link", { name: "The call" }));
  await page.getByText(/sandbox answered, after \d failed attempts?\./).waitFor();
  await page.getByText("failed · 503").first().waitFor();
  await page.getByText("Cost", { exact: true }).first().waitFor();
  await expectSound(at, "a call that failed over");

  await goToPage(at, "p", "AI pools");
  await press(at, page.getByRole("main").getByRole("link", { name: "default" }).first());
  const tabs = page.getByRole("navigation", { name: "Pages of the pool" });
  await press(at, tabs.getByRole("link", { name: "Playground" }));
  await write(at, page.getByLabel("You"), "Who answers?");
  await press(at, page.getByRole("checkbox", { name: "sandbox", exact: true }), "Space");
  await goTo(at, page.getByRole("button", { name: "Ask" }), { back: true });
  await page.keyboard.press("Enter");
  const chain = page.getByRole("region", { name: "Who was asked" });
  await chain.getByText("not asked: pretended down").waitFor();
  const answered = page.getByText(/done at/);
  for (let step = 0; step < 100 && !(await answered.first().isVisible()); step++) await it.advance(500);
  await chain.getByText("sandbox-backup", { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "You" }).and(page.locator(":focus")).waitFor();
});

test("after a restore every page says that messages are held; the operator reads what the installation is and releases them with their number", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  const contact = ["1", "2"].map((end) => ({
    number: `+1555000000${end}`,
    message: "Your table",
    schedule_at: "2026-02-01 09:00:00",
  }));
  await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  while (!(await it.system.database.run(holdPending, { at: it.clock.now(), limit: 100 })));
  // A restored installation has no sessions.
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(at.url);
  await write(at, page.getByLabel("Email address"), "ada@acme.example");
  await write(at, page.getByRole("textbox", { name: "Password" }), "a long password of Ada");
  await page.keyboard.press("Enter");
  const notice = page.locator(".held");
  await notice.getByText(/Waiting: 2 messages, 0 webhook deliveries and 0 events/).waitFor();
  for (const [letter, title] of [
    ["o", "Overview"],
    ["m", "Messages"],
    ["p", "AI pools"],
    ["w", "Webhooks"],
  ] as const) {
    await goToPage(at, letter, title);
    await notice.waitFor();
  }
  await find(at, "installa");
  await page.getByRole("option", { name: /Installation/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Installation", level: 1 }).waitFor();
  await page.getByText("sqlite").first().waitFor();
  await page.getByRole("region", { name: "Back it up" }).waitFor();

  await press(at, notice.getByRole("button", { name: "Release…" }));
  const dialog = page.getByRole("alertdialog", { name: "Release what is held" });
  const release = dialog.getByRole("button", { name: "Release", exact: true });
  await write(at, dialog.getByLabel(/Type 2/), "1");
  assert.equal(await release.isDisabled(), true);
  await write(at, dialog.getByLabel(/Type 2/), "2");
  await press(at, release);
  await notice.waitFor({ state: "detached" });
  await expectFocusKept(at);
  await expectSound(at, "the installation after a release");
});
