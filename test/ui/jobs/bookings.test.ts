// What was promised for later: one message at nine in Berlin, moved and cancelled, and a campaign that is called off.

import assert from "node:assert/strict";
import test from "node:test";
import { providerSettings } from "../../scenarios/provider.ts";
import { expectSound, missing, setUp, type Visit, visit } from "../browser.ts";
import { api } from "../pages.ts";
import { counting } from "./clicks.ts";

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

test("a message for tomorrow at nine in Berlin, from a machine in Los Angeles: it is listed at nine, moved to ten and cancelled, and its page tells all three", {
  skip: missing,
}, async (t) => {
  const at = await visit({ zone: "America/Los_Angeles" });
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  await api(at, "PATCH", `/accounts/${account}`, { time_zone: "Europe/Berlin" });
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/send?channel=sms&to=%2B15550000001`);
  await page.getByLabel("Text", { exact: true }).fill("Your table is ready");
  await page.getByRole("button", { name: "At a time" }).click();
  await page.getByLabel("At (Europe/Berlin)").fill("2026-01-02T09:00");
  await page.getByRole("button", { name: "Schedule the message" }).click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  const message = new URL(page.url()).pathname;

  const { click, since } = counting();
  const scheduled = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Scheduled" });
  const rows = page.locator("tr[data-index]");
  const dialog = page.locator(".dialog");
  await click(scheduled);
  await page.getByText("Fri 2 Jan · 09:00–10:00 · 1").waitFor();
  await rows.nth(0).getByText("09:00", { exact: true }).waitFor();
  await click(rows.nth(0).getByRole("button", { name: "Reschedule…" }));
  await dialog.getByLabel("At (Europe/Berlin)").fill("2026-01-02T10:00");
  await click(dialog.getByRole("button", { name: "Reschedule" }));
  await rows.nth(0).getByText("10:00", { exact: true }).waitFor();
  assert.equal(since(), 3);
  await page.goto(`${url}/a/${account}`);
  await click(scheduled);
  await click(rows.nth(0).getByRole("button", { name: "Cancel…" }));
  await click(dialog.getByRole("button", { name: "Cancel the message" }));
  await page.getByText("Nothing waits for its time.").waitFor();
  assert.equal(since(), 3);

  await page.goto(`${url}${message}`);
  const steps = page.getByRole("region", { name: "What happened" });
  await steps.getByText("Due at 2 Jan 09:00:00.").waitFor();
  await steps.getByText("Moved to 2 Jan 10:00:00 by ada@acme.example.").waitFor();
  await steps.getByText("Cancelled by ada@acme.example.").waitFor();
  await page.locator(".page-head [role=status]").getByText("cancelled", { exact: true }).waitFor();
  await expectSound(at, "a message that was scheduled, moved and cancelled");
});

test("a campaign of 10,000 for tomorrow is called off from its request with one number typed, and the ledger has the credit again", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  const count = 10_000;
  const settings = { identifier: "real", channel: "sms", kind: "http-api", settings: providerSettings };
  assert.equal((await api(at, "POST", `/accounts/${account}/gateways`, settings)).status, 201);
  await api(at, "PATCH", `/accounts/${account}`, { plan: { credit: { sms: 12_000 } } });
  const due = `${new Date(it.clock.now() + 86_400_000).toISOString().slice(0, 10)} 09:00:00`;
  const contact = Array.from({ length: count }, (_each, place) => ({
    number: `+4915${100_000_000 + place}`,
    message: "The sale begins",
    schedule_at: due,
    gateway_identifier: "real",
  }));
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  assert.equal(sent.status, 200, JSON.stringify(sent.body).slice(0, 200));
  const { request_id: request = "" } = sent.body.data;
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/credit`);
  await page.getByText("2,000", { exact: true }).first().waitFor();

  const { click, since } = counting();
  await page.goto(`${url}/a/${account}/requests/${request}`);
  await page.getByRole("link", { name: "10,000 scheduled" }).waitFor();
  await click(page.getByRole("button", { name: "Cancel 10,000…" }));
  const dialog = page.locator(".dialog");
  await dialog
    .getByText("This cancels 10,000 of 10,000, and gives their credit back. None has gone out.")
    .waitFor();
  const cancel = dialog.getByRole("button", { name: "Cancel 10,000 messages" });
  assert.equal(await cancel.isDisabled(), true);
  await dialog.getByLabel("Type 10000 to go on.").fill("10000");
  await click(cancel);
  await page.getByText("10,000 messages cancelled").waitFor();
  assert.equal(since(), 2);
  await page.getByRole("link", { name: "10,000 cancelled" }).waitFor();
  await expectSound(at, "a campaign that was called off");

  await page.goto(`${url}/a/${account}/credit`);
  await page.getByText("12,000", { exact: true }).first().waitFor();
  const [latest] = await page.locator("tr[data-index]").all();
  assert.match((await latest?.innerText()) ?? "", /return\s+msg_\w+\s+\+1\s+12,000/);
  await latest?.getByRole("link").click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await page.getByText("Cancelled by ada@acme.example.").waitFor();
});
