// On a phone of 320 px, which is also a screen at 400 %: each question lies within the screen. Of the pages journey.test.ts says the same.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, expectWhole, missing, settled, setUp, visit } from "../browser.ts";
import { furnish, pathsOf } from "../pages.ts";

test("at 320 px each question that a button asks fits the screen, with its buttons", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark", width: 320 });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const paths = pathsOf(await furnish(at));
  await page.clock.setFixedTime(at.it.clock.now());
  let asked = 0;
  for (const name of [
    "gateway",
    "pool-keys",
    "pool-settings",
    "domain",
    "suppressions",
    "webhook",
    "api-keys",
  ]) {
    await page.goto(`${url}${paths[name]}`);
    await settled(at);
    const main = page.getByRole("main");
    const asks = { name: /…$/, disabled: false };
    const plain = await main.getByRole("button", asks).all();
    const menus = await main.getByRole("button", { name: /^More for / }).all();
    const inMenus = menus.map(async (menu) => {
      const popup = page.locator(`[id="${await menu.getAttribute("popovertarget")}"]`);
      const inside = await popup.getByRole("button", { ...asks, includeHidden: true }).all();
      return inside.map((asker) => ({ menu, asker }));
    });
    for (const { menu, asker } of [
      ...plain.map((asker) => ({ menu: null, asker })),
      ...(await Promise.all(inMenus)).flat(),
    ]) {
      await menu?.click();
      const label = (await asker.innerText()).trim();
      await asker.click();
      const dialog = page.locator(".dialog[open]");
      await dialog.waitFor();
      await expectWhole(at, `${name}: ${label}`);
      const last = dialog.getByRole("button").last();
      await last.scrollIntoViewIfNeeded();
      const box = await last.boundingBox();
      assert.ok(
        box !== null && box.y >= 0 && box.y + box.height <= 800,
        `${name}: ${label} ends below the screen`,
      );
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      asked += 1;
    }
  }
  assert.ok(asked >= 10, String(asked));
  await expectSound(at, "the keys after all questions");
});
