// Journeys through the dashboard in a real browser, on the real system with its clock moved by hand.

import assert from "node:assert/strict";
import test from "node:test";
import { passwordOf, userFor } from "../http/managing.ts";
import { expectSound, missing, openOverview, setUp, setUpByHand, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("the set-up link leads to a message that is sent and watched", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await setUpByHand(at);
  await expectSound(at, "the overview");
  await page.getByRole("link", { name: "Gateways", exact: true }).click();
  await page.getByRole("link", { name: "sandbox-sms" }).click();
  await page.getByRole("button", { name: "+15550000001" }).click();
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByRole("link", { name: "Its page shows each step" }).click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await it.advance(60_000);
  await page.getByText(/It simulates the state "delivered"/).waitFor();
  await expectSound(at, "the message");
});

test("a refused setting is named at its field, and a gateway is made by its form", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, url } = at;
  await openOverview(at);
  await page.getByRole("link", { name: "Gateways", exact: true }).click();
  await page.getByRole("link", { name: "Add a gateway" }).click();
  await page.getByRole("link", { name: "Twilio", exact: true }).click();
  await page.getByLabel("Name").fill("sms-main");
  await page.getByLabel("Account sid").fill("not a sid");
  await page.getByLabel("Auth token").fill("a token of no account");
  await page.getByRole("button", { name: "Add the gateway" }).click();
  await page.locator("input[aria-invalid=true]").first().waitFor();
  await expectSound(at, "the form with faults");
  await page.getByLabel("Account sid").fill("AC0123456789abcdef0123456789abcdef");
  await page.getByLabel("From").fill("+15550001111");
  await page.getByRole("button", { name: "Add the gateway" }).click();
  await page.getByRole("heading", { name: "sms-main" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings of sms-main" }).waitFor();
  await page.getByRole("button", { name: "Replace" }).waitFor();
  assert.ok(!(await page.content()).includes("a token of no account"), "a stored secret is in the page");
  assert.ok(page.url().startsWith(url));
});

test("a pool's settings are changed one by one, and not over another change", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pools = `/accounts/${account}/pools`;
  const stored = async () => (await api(at, "GET", pools)).body.data[0] as unknown as Record<string, unknown>;
  const { id, revision } = await stored();
  const open = async () => {
    await page.goto(`${at.url}/a/${account}/pools/${id}`);
    const tabs = page.getByRole("navigation", { name: "Pages of the pool" });
    await tabs.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Deadline", { exact: true }).waitFor();
  };
  const save = async () => {
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("button", { name: "Save" }).click();
    return (await sent).postDataJSON() as unknown;
  };
  await open();
  await page.getByLabel("Unit of Deadline").selectOption("s");
  await page.getByLabel("Deadline", { exact: true }).fill("30");
  await page.getByRole("group", { name: "Hedge" }).getByRole("button", { name: "On" }).click();
  await page.getByLabel("Never: Warn at").check();
  assert.deepEqual(await save(), { deadline_ms: 30_000, hedge: {}, budget: { low_percent: null }, revision });
  await page.getByRole("link", { name: "Add a member" }).waitFor();
  const after = await stored();
  assert.deepEqual([after.deadline_ms, after.hedge], [30_000, { after: "p95", max_share: 0.05 }]);
  await open();
  await page.getByLabel("Name", { exact: true }).fill("two words");
  assert.deepEqual(await save(), { name: "two words", revision: after.revision });
  await page.locator("input[aria-invalid=true]").waitFor();
  await expectSound(at, "the form with a fault");
  assert.equal((await api(at, "PATCH", `${pools}/${id}`, { repeat: 3 })).status, 200);
  await page.getByLabel("Name", { exact: true }).fill("renamed");
  await save();
  await page.getByRole("alert").getByText("Another change was made first").waitFor();
  await expectSound(at, "the form after another change");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Repeats").inputValue(), "3");
  assert.equal(await page.getByLabel("Deadline", { exact: true }).inputValue(), "30");
  await page.getByLabel("Deadline", { exact: true }).fill("40");
  await save();
  await page.getByRole("link", { name: "Add a member" }).waitFor();
  assert.equal((await stored()).deadline_ms, 40_000);
});

test("an ended session lays the sign-in over the page, which keeps what was typed", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  await page.getByRole("link", { name: "Gateways", exact: true }).click();
  await page.getByRole("link", { name: "sandbox-sms" }).click();
  await page.getByLabel("Number").fill("+15550000001");
  await page.getByLabel("Text").fill("typed before the session ended");
  await at.context.clearCookies();
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  await page.getByLabel("Email address").fill("ada@acme.example");
  await page.getByLabel("Password", { exact: true }).fill("a long password of Ada");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Text").inputValue(), "typed before the session ended");
});

test("a completion fails over in sight, and a key is shown once", { skip: missing }, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  await page.getByRole("link", { name: "AI pools", exact: true }).click();
  await page.getByRole("link", { name: "default" }).first().click();
  await page.getByRole("link", { name: "Add a member" }).click();
  // The pool's members are called so too, and are shown until the page is there.
  await page.getByRole("heading", { name: "Add a member" }).waitFor();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByLabel("Name").fill("broken");
  await page.getByLabel("Models", { exact: true }).fill("failing");
  await page.getByLabel("Priority").fill("0");
  await page.getByRole("button", { name: "Add the member" }).click();
  await page.getByRole("link", { name: "broken" }).waitFor();
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("playground");
  await page.getByRole("button", { name: "Create the key" }).click();
  const key = (await page.getByRole("dialog").locator("pre").textContent()) ?? "";
  assert.ok(key.length > 20);
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("link", { name: "Playground", exact: true }).click();
  assert.ok(!(await page.content()).includes(key), "the key is still in the page");
  await page.getByLabel("You").fill("Hello from the playground");
  await page.getByRole("button", { name: "Ask" }).click();
  for (let step = 0; step < 100 && !(await page.getByText(/done at/).isVisible()); step++) {
    await it.advance(500);
    await page.waitForTimeout(50);
  }
  await page
    .getByText(/never works/)
    .first()
    .waitFor();
  await page.getByText("Hello from the playground").last().waitFor();
  await page.getByText("broken", { exact: true }).first().waitFor();
  await expectSound(at, "the playground");
});

test("a member sees one account, and no operator's page", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it, url } = at;
  const first = await it.account({ name: "acme" });
  const other = await it.account({ name: "a rival" });
  await userFor(it, "member@acme.example", first.id);
  await page.goto(url);
  await page.getByRole("link", { name: "The page of that link" }).click();
  await page.getByText("trunkline setup makes a new one.").waitFor();
  await page.goto(url);
  await page.getByLabel("Email address").fill("member@acme.example");
  await page.getByLabel("Password", { exact: true }).fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await expectSound(at, "the sign-in with its fault");
  await page.getByLabel("Password", { exact: true }).fill(passwordOf("member@acme.example"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Users" }).count(), 0);
  await page.goto(`${url}/users`);
  await page.getByText("Only an operator sees this.").waitFor();
  await page.goto(`${url}/a/${other.id}`);
  await page.getByText("does not exist, or you may not see it.").waitFor();
  assert.ok(!(await page.content()).includes("a rival"), "the name of another account is in the page");
});
