// A pool's content log: its form, and a call that shows what was asked and answered, as text.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, setUp, visit } from "./browser.ts";
import { ask, sandboxPool } from "./pages.ts";

test("a pool's content log is set in its form, and a call shows what was asked and answered", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const { path, key } = await sandboxPool(at, {});
  const called = async () => {
    await ask(at, key, null, 1, { content: "<b>write</b> to ada@acme.test" });
    await page.clock.setFixedTime(at.it.clock.now());
    await page.goto(`${path}/calls`);
    await page.locator("a.row-link").first().click();
    await page.getByRole("heading", { name: "Chat call" }).waitFor();
  };
  await called();
  await page.getByText("Requests and answers are not stored.").waitFor();
  await page.getByRole("link", { name: "content log" }).click();
  const group = page.getByRole("group", { name: "Content log" });
  await group.getByRole("button", { name: "On", exact: true }).click();
  const redact = group.getByRole("group", { name: "Redact" });
  assert.ok(await redact.getByLabel("secret").isChecked(), "what is the default is chosen");
  await redact.getByLabel("email").check();
  await expectSound(at, "the form with a content log");
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByRole("button", { name: "Save" }).click();
  const { content_log: saved } = (await sent).postDataJSON();
  assert.deepEqual(saved, { redact: ["secret", "email"] });
  await page.getByRole("link", { name: "Add a member" }).waitFor();
  await called();
  const asked = page.getByRole("region", { name: "What was asked" });
  await asked.getByText("<b>write</b> to [email]").waitFor();
  await asked.getByRole("button", { name: "Copy" }).waitFor();
  await page.getByRole("region", { name: "What was answered" }).getByText('"chat.completion"').waitFor();
  await page.getByText("Replaced in it: email.").waitFor();
  await expectSound(at, "a call with its content");
});
