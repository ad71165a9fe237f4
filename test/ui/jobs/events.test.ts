// A developer's webhook: the receiver was down, so what did it miss, and how does it get that?

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, setUp, visit } from "../browser.ts";
import { api } from "../pages.ts";
import { counting } from "./clicks.ts";

test("a receiver that was down: its deliveries say tries and next times, and all that failed is posted again under the same ids", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const webhooks = `/accounts/${account}/webhooks`;
  const made = { url: "https://app.acme.example/hook", events: ["message.delivered"] };
  const id = (await api(at, "POST", webhooks, made)).body.data.id ?? "";
  const posted: string[] = [];
  const received: string[] = [];
  let isUp = false;
  it.respond((request) => {
    const name = new Headers(request.headers as Record<string, string>).get("webhook-id") ?? "";
    (isUp ? received : posted).push(name);
    return isUp
      ? { kind: "answer", status: 204, headers: {}, body: Buffer.from("") }
      : { kind: "no_answer", reason: "The connection was refused." };
  });
  for (const end of ["1", "1", "1"])
    await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: `+1555000000${end}` });
  await it.advance(60_000);
  await page.clock.setFixedTime(it.clock.now());
  const { click, since } = counting();
  await page.goto(at.url);
  await click(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Webhooks" }));
  await click(page.getByRole("link", { name: "app.acme.example", exact: true }));
  const rows = page.locator("tr[data-index]");
  await rows.nth(2).waitFor();
  await click(rows.nth(0).getByRole("link").first());
  assert.equal(since(), 3);
  await page.getByText(/next try/).waitFor();
  await page.getByText("The connection was refused.").first().waitFor();
  await expectSound(at, "a delivery that is tried again");

  for (let day = 0; day < 2; day++) await it.advance(86_400_000);
  await page.clock.setFixedTime(it.clock.now());
  // Two days later the session has ended.
  await page.reload();
  await page.getByLabel("Email address").fill("ada@acme.example");
  await page.getByRole("textbox", { name: "Password" }).fill("a long password of Ada");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "message.delivered" }).waitFor();
  const failed = (await api(at, "GET", `${webhooks}/${id}/deliveries?status=failed`)).body.data;
  assert.equal(failed.length, 3);
  isUp = true;
  await page.getByRole("main").getByRole("link", { name: "Deliveries" }).click();
  await page.getByRole("button", { name: "Replay failed…" }).click();
  const dialog = page.getByRole("dialog", { name: /Replay/ });
  await dialog.getByText("3 deliveries.").waitFor();
  await dialog.getByRole("button", { name: "Replay 3" }).click();
  await page.getByText("3 are posted again").waitFor();
  await it.advance(5_000);
  assert.deepEqual([...received].sort(), [...new Set(posted)].sort());
  assert.equal(received.length, 3);
  await page.getByRole("button", { name: "Replay failed…" }).waitFor();
  const states = (await api(at, "GET", `${webhooks}/${id}/deliveries`)).body.data.map(({ status }) => status);
  assert.deepEqual(states, ["delivered", "delivered", "delivered"]);
});
