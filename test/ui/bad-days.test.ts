// Bad days: answers that break, things that others delete, rights that end, and hands that are too quick.

import assert from "node:assert/strict";
import test from "node:test";
import type { Route } from "playwright-core";
import { passwordOf, userFor } from "../http/managing.ts";
import { missing, settled, setUp, until, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

const page413 = "<html><h1>413 Request Entity Too Large</h1></html>";
/** Answers of which the dashboard can make nothing, with what it says of them. */
const broken: readonly [string, Parameters<Route["fulfill"]>[0], string][] = [
  [
    "cut off",
    { contentType: "application/json", body: '{"success":true,"da' },
    "The service did not answer.",
  ],
  ["a proxy's page", { contentType: "text/html", body: page413 }, "The service did not answer."],
  [
    "a proxy's refusal",
    { status: 413, contentType: "text/html", body: page413 },
    "Status 413, without a reason.",
  ],
  ["no object", { status: 500, json: null }, "Status 500, without a reason."],
  ["busy", { status: 429, headers: { "retry-after": "9" }, json: { message: "Too many." } }, "Too many."],
];

test("an answer that breaks is an error in a form and a list, keeps what was typed, and is never taken for a success", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  for (const [what, answer, says] of broken) {
    await t.test(what, async () => {
      const refuse = (route: Route) =>
        route.request().method() === "PATCH" || /\/suppressions/.test(route.request().url())
          ? route.fulfill(answer)
          : route.continue();
      await page.goto(`${url}/a/${account}/settings`);
      await settled(at);
      await page.route("**/api/manage/**", refuse);
      const name = page.getByRole("region", { name: "Account" }).getByLabel("Name", { exact: true });
      await name.fill("typed");
      await name.press("Enter");
      await page.getByRole("alert").getByText(says).waitFor();
      assert.equal(await name.inputValue(), "typed");
      assert.equal(await page.getByText("The account is saved").count(), 0);
      await name.fill("default");
      page.once("dialog", (dialog) => void dialog.accept());
      await page.goto(`${url}/a/${account}/suppressions`);
      await page.getByRole("alert").getByText(says).waitFor();
      await page.unroute("**/api/manage/**", refuse);
    });
  }
});

test("what cannot be read again is not passed off as current, and what was deleted elsewhere says so", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const gateways = `/accounts/${account}/gateways`;
  await api(at, "POST", gateways, { identifier: "second", channel: "sms", kind: "sandbox" });
  const bar = page.getByText("could not be read again");
  const live = async () => {
    await settled(at);
    await page.getByRole("banner").getByText("Live").waitFor();
  };
  await page.goto(`${url}/a/${account}/gateways/second`);
  await live();
  const fail = (route: Route) => route.fulfill({ status: 500, json: { message: "It broke." } });
  await page.route("**/gateways/second", fail);
  await api(at, "PATCH", `${gateways}/second`, { pace: { concurrency: 3 } });
  await at.it.advance(1_000);
  await page.getByText(/^A part of this page is from .+, and could not be read again: It broke\.$/).waitFor();
  await page.unroute("**/gateways/second", fail);
  await api(at, "PATCH", `${gateways}/second`, { pace: { concurrency: 4 } });
  await at.it.advance(1_000);
  await bar.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Settings", exact: true }).last().click();
  const concurrency = page.getByLabel("Concurrency", { exact: true });
  await concurrency.fill("7");
  await api(at, "DELETE", `${gateways}/second`);
  await at.it.advance(1_000);
  await bar.waitFor();
  assert.equal(await concurrency.inputValue(), "7", "what was typed is gone with the gateway");
});

test("rows of the filter before are marked as such until those of the new one come", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await api(at, "POST", `/accounts/${account}/suppressions`, {
    channel: "sms",
    recipients: ["+15550000001"],
  });
  await page.goto(`${url}/a/${account}/suppressions`);
  const rows = page.locator("tbody tr");
  await rows.first().waitFor();
  const held: Route[] = [];
  await page.route("**/suppressions?*", (route) => void held.push(route));
  await page.getByLabel("Channel").selectOption("email");
  await page.getByText("Reading…").waitFor();
  assert.equal(await page.evaluate(`getComputedStyle(document.querySelector("tbody")).opacity`), "0.5");
  await until(at, "the new rows are asked for", async () => held.length > 0);
  // The first filter comes back before the second one is answered: its late answer changes nothing.
  await page.unroute("**/suppressions?*");
  await page.getByLabel("Channel").selectOption("sms");
  await page.getByText("Reading…").waitFor({ state: "detached" });
  await Promise.all(held.map((route) => route.continue().catch(() => {})));
  await rows.getByText("+15550000001").waitFor();
});

test("two clicks at once, and Enter while the next page loads, make one thing", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const changes: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") changes.push(new URL(request.url()).pathname);
  });
  const twice = (button: string) =>
    page.evaluate(`{
      const it = [...document.querySelectorAll("button")].find((each) => each.textContent === "${button}");
      it.click();
      it.click();
    }`);
  await page.goto(`${url}/a/${account}/gateways/sandbox-sms`);
  await page.getByLabel("Number").fill("+15550000001");
  await twice("Send the test");
  await page.getByRole("link", { name: "Its page shows each step" }).waitFor();
  assert.equal(changes.length, 1, changes.join());
  await page.goto(`${url}/a/${account}/gateways/new?channel=sms&kind=sandbox`);
  const name = page.getByLabel("Name", { exact: true }).first();
  await name.fill("second");
  const held: Route[] = [];
  await page.route("**/assets/*", (route) => void held.push(route));
  await name.press("Enter");
  await until(at, "the next page is asked for", async () => held.length > 0);
  await name.press("Enter");
  await Promise.all(held.map((route) => route.continue()));
  await page.unroute("**/assets/*");
  await page.getByRole("heading", { name: "second", level: 1 }).waitFor();
  assert.equal(changes.length, 2, changes.join());
});

test("however often Escape is pressed, a dialog keeps what was typed until that is given up", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  await page.goto(`${url}/a/${await accountOf(at)}/webhooks`);
  await page.getByRole("button", { name: "Add an endpoint" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a webhook endpoint" });
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await dialog.getByLabel("URL").fill("https://app.acme.example/hook");
  await page.keyboard.press("Escape");
  await question.waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  for (let press = 0; press < 5; press++) {
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog[open]").and(dialog).count(), 1, `after ${press + 3} presses`);
  }
  await question.getByRole("button", { name: "Stay" }).click();
  assert.equal(await dialog.getByLabel("URL").inputValue(), "https://app.acme.example/hook");
});

test("an operator who becomes a member sees so, and no longer what operators see", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { it, url, context } = at;
  await setUp(at);
  const account = await accountOf(at);
  const email = "bob@acme.example";
  await userFor(it, email);
  const theirs = await context.browser()?.newContext();
  assert.ok(theirs);
  const data = { email, password: passwordOf(email) };
  assert.equal((await theirs.request.post(`${url}/api/manage/v1/session`, { data })).status(), 200);
  const page = await theirs.newPage();
  await page.goto(`${url}/a/${account}/credit`);
  const grant = page.getByRole("button", { name: "Grant credit" });
  await grant.click();
  await page.getByLabel("Amount").fill("5");
  const users = (await api(at, "GET", "/users")).body.data;
  const id = users.find((user) => user.email === email)?.id;
  assert.equal((await api(at, "PATCH", `/users/${id}`, { role: "member", account })).status, 200);
  await page.getByRole("button", { name: "Grant", exact: true }).click();
  await page.getByText("Your role is member now.").waitFor();
  await grant.waitFor({ state: "detached" });
});
