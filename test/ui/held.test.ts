// The hold after a restore: on every page, with what ends it for operators and without it for members.

import assert from "node:assert/strict";
import test from "node:test";
import { holdPending } from "#store/maintenance/restore-hold.ts";
import { expectSound, missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("a hold is on every page; an operator ends it there, a member reads who can", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const password = "a long password of Max";
  const email = "max@acme.example";
  await api(at, "POST", "/users", { email, name: "Max", role: "member", account, password });
  await api(at, "POST", `/accounts/${account}/messages`, {
    channel: "sms",
    contact: [{ number: "+15550000001", message: "Hi", schedule_at: "2026-02-01 09:00:00" }],
  });
  // A restored installation has no sessions: everybody signs in again.
  const hold = async () => {
    while (!(await it.system.database.run(holdPending, { at: it.clock.now(), limit: 100 })));
  };
  const signIn = async (as: string, word: string) => {
    await page.getByLabel("Email").fill(as);
    await page.getByRole("textbox", { name: "Password" }).fill(word);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor({ state: "detached" });
  };
  await hold();
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(url);
  await signIn("ada@acme.example", "a long password of Ada");
  const notice = page.locator(".held");
  for (const path of [`/a/${account}/messages`, `/a/${account}/pools`, "/installation"]) {
    await page.goto(`${url}${path}`);
    await notice.getByText(/Waiting: 1 message, 0 webhook deliveries and 0 events/).waitFor();
    assert.equal(await notice.count(), 1, path);
  }
  await page.getByRole("link", { name: "1 held messages of default" }).click();
  await page.getByRole("heading", { level: 1, name: "Messages" }).waitFor();
  assert.match(page.url(), /held=true/);
  await page.getByRole("row").filter({ hasText: "+15550000001" }).waitFor();
  await expectSound(at, "a page with the hold");
  await notice.getByRole("button", { name: "Release…" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel(/Type 1/).fill("1");
  await dialog.getByRole("button", { name: "Release", exact: true }).click();
  await notice.waitFor({ state: "detached" });
  await hold();
  await page.goto(`${url}/a/${account}/gateways`);
  await signIn(email, password);
  await notice.getByText("waits until an operator releases it", { exact: false }).waitFor();
  assert.equal(await notice.getByRole("button").count(), 0);
});
