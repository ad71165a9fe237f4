// The frame of every page: accounts and preferences, keys and focus, on a desk and on a phone.

import assert from "node:assert/strict";
import test from "node:test";
import { ordered } from "#ui/app/frame/recent-accounts.ts";
import { expectSound, missing, openOverview, type Visit, visit } from "./browser.ts";

test("accounts that were used last come first, and each once", () => {
  const named = (...names: string[]) => names.map((name) => ({ id: `acc_${name}`, name }));
  const names = (search: string, found: string[]) =>
    ordered(named("Beta", "Alpha"), named(...found), search).map(({ name }) => name);
  assert.deepEqual(names("", ["Zeta", "Alpha", "Beta"]), ["Beta", "Alpha", "Zeta"]);
  assert.deepEqual(names("al", ["Alpha", "Also"]), ["Alpha", "Also"]);
  assert.deepEqual(names("zz", []), []);
});

const focused = ({ page }: Visit) => page.evaluate("document.activeElement?.textContent") as Promise<string>;

test("an account beyond those that are listed is found by its name", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  const first = await it.account({ name: "Zebra Couriers" });
  for (let count = 0; count < 60; count++) await it.account({ name: `Customer ${count}` });
  await page.getByRole("button", { name: "Account default" }).click();
  const list = page.getByRole("listbox");
  await list.getByRole("option", { name: "default" }).waitFor();
  assert.equal(await list.getByRole("option").first().textContent(), "default", "not the last used one");
  await expectSound(at, "the accounts", ".menu-popup");
  await page.getByLabel("Find an account").fill("zebra");
  await list.getByRole("option", { name: "Zebra Couriers" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/a/${first.id}`);
  await page.getByLabel("Account Zebra Couriers").first().waitFor();
});

test("a change of page is named: the focus is at its heading, and so is the title", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  await page.getByRole("link", { name: "Gateways", exact: true }).click();
  await page.getByRole("heading", { name: "Gateways", level: 1 }).waitFor();
  await page.locator("h1:focus").waitFor();
  assert.equal(await focused(at), "Gateways");
  assert.equal(await page.title(), "Gateways · Trunkline");
});

test("a page whose code cannot be loaded says so inside the frame, and comes when it is loaded again", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  const isPageCode = /\/assets\/audit-page-[^/]+\.js$/;
  await page.route(isPageCode, (route) => route.abort());
  await page.goto(`${page.url()}/audit`);
  await page.getByRole("heading", { name: "This page could not be shown" }).waitFor();
  await page.getByRole("navigation").first().getByRole("link", { name: "Messages" }).waitFor();
  await page.getByText(/dynamically imported module/).waitFor();
  await page.unroute(isPageCode);
  await page.getByRole("button", { name: "Load it again" }).click();
  await page.getByRole("heading", { name: "Audit" }).waitFor();
});

test("a click while the service is away keeps the page and what was typed, and leads there once it is back", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  await page.getByRole("link", { name: "Send messages" }).click();
  await page.getByLabel("Text").fill("typed before the service went away");
  await page.route("**/*", (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  await page
    .getByText(/^No answer since/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: /^Find anything/ }).click();
  assert.equal(await page.getByLabel("Text").inputValue(), "typed before the service went away");
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Send");
  await page.unroute("**/*");
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  await page
    .getByText(/^No answer since/)
    .first()
    .waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: /^Find/ }).waitFor();
});

/** How the card, the title, a field and the button of a page before the sign-in look. */
const looks = ({ page }: Visit) =>
  page.evaluate(`[
    [":has(> main)", ["backgroundColor", "color"]],
    ["main", ["backgroundColor", "borderTopColor", "borderTopLeftRadius", "padding", "width"]],
    ["h1", ["fontFamily", "fontSize", "fontWeight", "lineHeight"]],
    ["input[type=email]", ["backgroundColor", "borderTopColor", "borderTopLeftRadius", "height", "fontSize"]],
    ["button", ["backgroundColor", "color", "height", "fontWeight"]],
  ].map(([part, names]) => {
    const style = getComputedStyle(document.querySelector(part));
    return [part, ...names.map((name) => name === "fontFamily" ? style[name].split(",")[0] : style[name])];
  })`);

test("the set-up page and the sign-in look alike, in the letters of the dashboard", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  for (const [colorScheme, width] of [
    ["light", 1_280],
    ["dark", 320],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${at.url}/setup#tls_code`);
    await page.getByText("Trunkline", { exact: true }).waitFor();
    await page.evaluate("document.fonts.ready");
    assert.ok(await page.evaluate("document.fonts.check('600 22px \"Geist Variable\"')"));
    await expectSound(at, "the set-up page");
    const setUpLooks = await looks(at);
    await page.goto(at.url);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await expectSound(at, "the sign-in");
    assert.deepEqual(await looks(at), setUpLooks);
  }
});

test("keys are named, and those of one letter can be switched off", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Next and previous row").waitFor();
  await expectSound(at, "the keys");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "ada@acme.example operator" }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await expectSound(at, "the person's menu");
  await page.getByRole("menuitemcheckbox", { name: "Single-key shortcuts" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  for (const letter of "gm?") await page.keyboard.press(letter);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
});

test("on a phone four places and a sheet lead everywhere, and leave four fifths of the screen", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  await page.setViewportSize({ width: 375, height: 812 });
  const places = page.getByRole("navigation", { name: "Places" });
  const taken = [await page.getByRole("banner").boundingBox(), await places.boundingBox()];
  const height = taken.reduce((sum, box) => sum + (box?.height ?? 812), 0);
  assert.ok(height <= 812 / 5, `${height} px are header and navigation`);
  await places.getByRole("link", { name: "Messages" }).click();
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  await places.getByRole("button", { name: "More" }).click();
  const sheet = page.getByRole("dialog", { name: "All pages" });
  await expectSound(at, "the sheet");
  await sheet.getByRole("link", { name: "Suppressions" }).click();
  await page.getByRole("heading", { name: "Suppressions", level: 1 }).waitFor();
  await sheet.waitFor({ state: "detached" });
});

test("leaving a form with changes asks first", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  await page.getByTitle("Settings", { exact: true }).click();
  const name = page.getByRole("region", { name: "Account" }).getByLabel("Name", { exact: true });
  await name.fill("acme");
  await page.getByRole("link", { name: "Gateways", exact: true }).click();
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Stay" }).click();
  assert.equal(await name.inputValue(), "acme");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The account is saved").waitFor();
  await page.getByRole("link", { name: "Gateways", exact: true }).click();
  await page.getByRole("heading", { name: "Gateways", level: 1 }).waitFor();
  assert.equal(await question.count(), 0);
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  const opener = page.getByRole("button", { name: "Add an endpoint" });
  await opener.click();
  // The word that the account is saved is a dialog, too.
  const dialog = page.getByRole("dialog", { name: "Add a webhook endpoint" });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await opener.click();
  await dialog.getByLabel("URL").fill("https://app.acme.example/hook");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Stay" }).click();
  assert.equal(await dialog.getByLabel("URL").inputValue(), "https://app.acme.example/hook");
  await page.keyboard.press("Escape");
  await expectSound(at, "the question before leaving", "[role=alertdialog]");
  await question.getByRole("button", { name: "Leave" }).click();
  await dialog.waitFor({ state: "detached" });
});
