// The page of the installation: what it is, who drives it, and how it is copied and restored.

import assert from "node:assert/strict";
import test from "node:test";
import { outdatedNode } from "#runtime/program.ts";
import { expectSound, missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("an operator reads size, settings and processes, and copies the commands of a backup", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/installation`);
  await page.getByText(/^[\d.,]+\s(kB|MB)/).waitFor();
  const settings = page.getByRole("region", { name: "Settings" });
  await settings.getByText("not set").waitFor();
  await settings.getByText("90 days").waitFor();
  const processes = page.getByRole("region", { name: "Processes" });
  await processes.getByText("answers this page").waitFor();
  assert.equal(await processes.locator("tbody tr").count(), 1);
  const backup = page.getByRole("region", { name: "Back it up" });
  await backup.getByText("trunkline backup /backups/trunkline.db --key /elsewhere/master.key").waitFor();
  assert.equal(await page.getByRole("region", { name: "Restore a copy" }).getByRole("listitem").count(), 3);
  await page.getByText("trunkline hold", { exact: true }).waitFor();
  await page.getByText("expr: trunkline_oldest_waiting_seconds > 600").waitFor();
  await expectSound(at, "the installation");
});

test("an operator is warned of an old Node on the overview and the installation's page", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const outdated = outdatedNode("26.0.0", "26.10.0");
  assert.ok(outdated !== null);
  await page.route("**/api/manage/v1/installation", async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: object };
    const node = { version: "26.0.0", outdated };
    await route.fulfill({ json: { ...body, data: { ...body.data, node } } });
  });
  await page.goto(`${url}/a/${account}`);
  const needsYou = page.getByRole("region", { name: "Needs attention" });
  await needsYou.getByText(outdated).waitFor();
  assert.equal(await needsYou.getByText("All is well.").count(), 0);
  await needsYou.getByRole("link", { name: "View" }).last().click();
  await page.waitForURL("**/installation");
  await page.getByText(outdated).waitFor();
  await page.getByText("Node 26.0.0", { exact: true }).waitFor();
  await expectSound(at, "the installation under an old Node");
});
