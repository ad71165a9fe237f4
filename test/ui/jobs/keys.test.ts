// Keys and secrets: shown once or for a password, replaced, revoked, and who looked at them.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, settled, setUp, type Visit, visit } from "../browser.ts";
import { api } from "../pages.ts";
import { counting } from "./clicks.ts";

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

test("a developer sees the API key for a password, replaces it, revokes a pool's key in three clicks; the audit names who looked", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  await api(at, "POST", `/accounts/${account}/pools/${pool}/keys`, { name: "shop" });
  await page.goto(`${url}/a/${account}/api-keys`);
  const part = page.getByRole("region", { name: "API key" });
  const password = part.getByLabel("Your password");
  await password.fill("a wrong password");
  await part.getByRole("button", { name: "Show the key" }).click();
  await part.locator("input[aria-invalid=true]").waitFor();
  await expectSound(at, "the API key with a wrong password");
  await password.fill("a long password of Ada");
  await part.getByRole("button", { name: "Show the key" }).click();
  const secret = page.getByRole("dialog", { name: "The account's API key" });
  const key = (await secret.locator("pre").textContent()) ?? "";
  assert.ok(key.length > 20);
  await secret.getByText("Enter your password to see it again.").waitFor();
  await secret.getByRole("button", { name: "Close" }).click();
  await secret.waitFor({ state: "detached" });
  assert.ok(!(await page.content()).includes(key));

  const { click, since } = counting();
  await click(part.getByRole("button", { name: "Regenerate…" }));
  const question = page.getByRole("dialog", { name: "Regenerate the API key" });
  await click(question.getByRole("button", { name: "Regenerate the key" }));
  assert.notEqual(await secret.locator("pre").textContent(), key);
  await click(secret.getByRole("button", { name: "I have stored it" }));
  assert.equal(since(), 3);

  await page.goto(`${url}/a/${account}/pools/${pool}/keys`);
  const row = page.locator("tr[data-index]", { hasText: "shop" });
  await click(row.getByRole("button", { name: "More for shop" }));
  await click(row.getByRole("button", { name: "Revoke…" }));
  const revoke = page.getByRole("alertdialog", { name: "Revoke shop" });
  await revoke.getByText("Trunkline has seen no use of it.").waitFor();
  await revoke.getByLabel(/Type/).fill("shop");
  await click(revoke.getByRole("button", { name: "Revoke", exact: true }));
  await row.getByText("revoked", { exact: true }).waitFor();
  assert.equal(since(), 3);

  await page
    .getByRole("navigation", { name: "Pages" })
    .getByRole("link", { name: "Audit", exact: true })
    .click();
  const entry = page.getByRole("row").filter({ hasText: "reveal api key" });
  await entry.nth(1).waitFor();
  // Newest first: the one that was shown the key, and before it the wrong password.
  assert.match(await entry.nth(0).innerText(), /ada@acme\.example.*200/s);
  assert.match(await entry.nth(1).innerText(), /ada@acme\.example.*422/s);
});

test("a new webhook secret, pool key, management token and API key are shown once: reload, Back and later answers do not have them", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const { name = "" } = (await api(at, "GET", `/accounts/${account}`)).body.data;
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  const secrets: string[] = [];
  const later: Promise<string>[] = [];
  /** Reads the secret of the dialog, and from then on all that the service answers. */
  const stored = async (title: string) => {
    const dialog = page.getByRole("dialog", { name: title });
    const secret = (await dialog.locator("pre").textContent()) ?? "";
    assert.ok(secret.length > 20, title);
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await dialog.waitFor({ state: "detached" });
    secrets.push(secret);
  };
  const expectGone = async (where: string) => {
    await settled(at);
    const seen = `${await page.content()} ${await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])",
    )} ${await page.evaluate("[...document.querySelectorAll('input, textarea')].map(({ value }) => value).join()")}`;
    for (const secret of secrets) assert.ok(!seen.includes(secret), where);
  };
  await page.goto(`${url}/a/${account}/webhooks`);
  await page.getByRole("button", { name: "Add an endpoint" }).click();
  await page.getByRole("dialog").getByLabel("URL").fill("https://app.acme.example/hook");
  await page.getByRole("button", { name: "Add the endpoint" }).click();
  await stored("The endpoint's secret");
  await page.goto(`${url}/a/${account}/pools/${pool}/keys`);
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("shop");
  await page.getByRole("button", { name: "Create the key" }).click();
  await stored("The pool's new key");
  await page.goto(`${url}/tokens`);
  await page.getByRole("button", { name: "Create a token" }).first().click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("deploy");
  await page.getByRole("button", { name: "Create the token" }).click();
  await stored("The new management token");
  await page.goto(`${url}/a/${account}/api-keys`);
  await page.getByRole("button", { name: "Regenerate…" }).click();
  await page.getByRole("button", { name: "End it now" }).click();
  await page.getByRole("dialog").getByLabel(/Type/).fill(name);
  await page.getByRole("button", { name: "Regenerate the key" }).click();
  await stored("The account's API key");

  page.on("response", (response) => {
    if (response.headers()["content-type"]?.startsWith("application/json") === true)
      later.push(response.text().catch(() => ""));
  });
  await expectGone("the settings");
  await page.reload();
  await expectGone("the settings, loaded again");
  for (let back = 0; back < 3; back++) {
    await page.goBack();
    await expectGone(page.url());
  }
  for (const text of await Promise.all(later))
    for (const secret of secrets) assert.ok(!text.includes(secret), "a later answer has a secret");
  assert.ok(later.length > 5);
  assert.equal(new Set(secrets).size, 4);
});
