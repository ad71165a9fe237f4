// The page of the installation: what it is, who drives it, and how it is copied and restored.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, setUp, visit } from "./browser.ts";

test("an operator reads size, settings and processes, and copies the commands of a backup", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/installation`);
  await page.getByText(/^[\d.,]+ (kB|MB)/).waitFor();
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
