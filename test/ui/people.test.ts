// Operators' pages: accounts with their figures, and the people of one account, who are found and changed.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("an account's row has its figures and leads to its people, whose name and role are changed", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const plan = { name: "small", credit: { sms: 1_000 } };
  const other = (await api(at, "POST", "/accounts", { name: "other" })).body.data.id ?? "";
  const acme = (await api(at, "POST", "/accounts", { name: "acme", plan })).body.data.id ?? "";
  await api(at, "POST", `/accounts/${acme}/gateways`, {
    identifier: "sandbox",
    channel: "sms",
    kind: "sandbox",
  });
  for (const end of ["1", "3"])
    await api(at, "POST", `/accounts/${acme}/gateways/sandbox/test`, { to: `+1555000000${end}` });
  await at.it.advance(60_000);
  for (const [name, account] of [
    ["Grace", acme],
    ["Edsger", other],
  ])
    await api(at, "POST", "/users", {
      email: `${name}@acme.example`,
      name,
      role: "member",
      account,
      password: "a long password of Grace",
    });
  await page.goto(`${url}/accounts`);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "acme", exact: true }) });
  await row.getByText("1 failed").waitFor();
  await row.getByText(/^sms [\d,]+ of 1,000$/).waitFor();
  await expectSound(at, "the accounts");
  await row.getByRole("link", { name: "People of acme" }).click();
  await page.getByText("Members of acme").waitFor();
  const rows = page.locator("tbody tr");
  await page.getByText("grace@acme.example").waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog", { name: "Change grace@acme.example" });
  await dialog.getByLabel("Name").fill("Grace Hopper");
  await dialog.getByLabel("Role").selectOption({ label: "operator, who may do everything" });
  await expectSound(at, "the change of a user", "[role=dialog]");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("acme has no member").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByLabel("Name or e-mail address").fill("HOPPER");
  await page.getByRole("main").getByRole("button", { name: "Find" }).click();
  await page.locator("tbody").getByText("ada@acme.example").waitFor({ state: "detached" });
  await page.locator("tbody").getByText("operator", { exact: true }).waitFor();
  assert.equal(await rows.count(), 1);
  assert.equal(new URL(page.url()).search, "?search=HOPPER");
});

test("a person who is added comes by a link, which is shown once, works once, and ends with the next one", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  await page.goto(`${url}/users`);
  await page.getByRole("button", { name: "Add a user" }).click();
  const form = page.getByRole("dialog", { name: "Add a user" });
  await form.getByLabel("E-mail address").fill("grace@acme.example");
  await form.getByLabel("Name").fill("Grace");
  await form.getByLabel("Role").selectOption({ label: "member of default" });
  await form.getByRole("button", { name: "Add the user" }).click();
  const shown = page.getByRole("dialog", { name: "The link for Grace" });
  const first = (await shown.locator("pre").textContent()) ?? "";
  assert.match(first, new RegExp(`^${url}/setup#tlu_[A-Za-z0-9_-]{43}$`));
  await expectSound(at, "the link", "[role=dialog]");
  await shown.getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("row").filter({ hasText: "grace@acme.example" });
  await row.getByText("invited").waitFor();
  await row.getByRole("button", { name: "New link…" }).click();
  await page.getByRole("button", { name: "Make the link" }).click();
  const second = (await shown.locator("pre").textContent()) ?? "";
  assert.notEqual(second, first);
  await shown.getByRole("button", { name: "I have copied it" }).click();

  const context = await page.context().browser()!.newContext();
  const other = await context.newPage();
  await other.goto(first);
  await other.getByText("The code is wrong, was used or has expired.").waitFor();
  // The code alone differs, so the page is not loaded by itself.
  await other.goto("about:blank");
  await other.goto(second);
  await other.getByText("Welcome, Grace.").waitFor();
  assert.equal(other.url(), `${url}/setup`);
  assert.equal(await other.getByLabel("E-mail address").inputValue(), "grace@acme.example");
  await other.getByLabel("Password").fill("grace@acme.example");
  await other.getByRole("button", { name: "Choose it and sign in" }).click();
  await other.getByText("must not be the e-mail address").waitFor();
  await other.getByLabel("Password").fill("a long password of Grace");
  await other.getByRole("button", { name: "Choose it and sign in" }).click();
  await other.getByRole("heading", { name: "Overview" }).waitFor();
  await context.close();

  await page.reload();
  await row.getByText("active").waitFor();
});
