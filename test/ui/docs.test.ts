// "Try it" of the page at /docs, in a real browser under the page's policy.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, visit } from "./browser.ts";

test("an operation is tried on the page: with a key a message is sent, without one the refusal is shown", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  const { key } = await it.account();
  await it.gateway({ identifier: "sms-main", channel: "sms", kind: "sandbox", default: true });
  await page.goto(`${url}/docs#sendSms`);
  const send = page.locator("#sendSms");
  await send.getByText("Try it").click();
  await send.getByRole("button", { name: "Send" }).click();
  await send
    .getByRole("status")
    .filter({ hasText: /^403 .*req_/ })
    .waitFor();
  await send.getByText("Api key is required").waitFor();
  await page.locator("#key").getByLabel("API key", { exact: true }).fill(key);
  await send.getByRole("button", { name: "Send" }).click();
  await send.getByRole("status").filter({ hasText: /^200 / }).waitFor();
  const sent = JSON.parse((await send.locator(".try pre").textContent()) ?? "");
  const id = String(sent.data.contact[0].id);
  const look = page.locator("#getMessage");
  await look.getByText("Try it").click();
  await look.getByLabel("channel", { exact: true }).fill("sms");
  await look.getByLabel("id", { exact: true }).fill(id);
  await look.getByRole("button", { name: "Ask" }).click();
  await look.getByRole("status").filter({ hasText: /^200 / }).waitFor();
  assert.match((await look.locator(".try pre").textContent()) ?? "", new RegExp(id));
  const list = page.locator("#listMessages");
  await list.getByText("Try it").click();
  await list.getByLabel("channel", { exact: true }).fill("sms");
  await list.getByLabel("limit", { exact: true }).fill("x");
  await list.getByRole("button", { name: "Ask" }).click();
  await list.getByRole("status").filter({ hasText: /^422 / }).waitFor();
  // axe looks at all that is in sight, also where it is asked about a part, and here that is 50,000 elements.
  const find = page.locator("nav").getByLabel("Find");
  await find.fill("sendSms");
  await page.locator("#listMessages").waitFor({ state: "hidden" });
  await expectSound(at, "the reference", "#sendSms");
  assert.equal(await page.evaluate("JSON.stringify([localStorage.length, sessionStorage.length])"), "[0,0]");
  await find.fill("message.delivered");
  await page.locator("section.event:visible").first().waitFor();
});

test("a guide is found by its words, and the page is sound in both schemes and on a phone", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await page.goto(`${url}/docs/from/twilio.html`);
  await page.getByLabel("Search").fill("restore backup");
  await page.locator("#found").getByRole("link", { name: "Backup and restore" }).click();
  await page.waitForURL(`${url}/docs/operations.html#backup-and-restore`);
  await expectSound(at, "a guide");
  await page.getByLabel("Search").fill("xyzzy plugh");
  await page.getByText("Nothing found.").waitFor();
  await page.setViewportSize({ width: 360, height: 700 });
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
});
