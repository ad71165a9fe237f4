// The page of a webhook endpoint: changed in place, and what failed since an instant is counted before it is posted again.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, settled, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("an endpoint is changed in place, and what failed is counted, then posted again", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const webhooks = `/accounts/${account}/webhooks`;
  const made = { url: "https://app.acme.example/hook", events: ["message.sent"] };
  const id = (await api(at, "POST", webhooks, made)).body.data.id ?? "";
  let status = 500;
  it.respond(() => ({ kind: "answer", status, headers: {}, body: Buffer.from("") }));
  await api(at, "POST", `${webhooks}/${id}/test`);
  await api(at, "POST", `${webhooks}/${id}/test`);
  // Nothing is posted to an endpoint that is switched off: what waits fails.
  await it.advance(1_000);
  await api(at, "PATCH", `${webhooks}/${id}`, { active: false });
  await it.advance(60_000);
  await api(at, "PATCH", `${webhooks}/${id}`, { active: true });
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/webhooks/${id}`);
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Events").fill("message.* gateway.*");
  await dialog.getByLabel("URL").fill("https://app.acme.example/other");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("message.* gateway.*", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "https://app.acme.example/other" }).waitFor();
  status = 204;
  await page.getByRole("button", { name: "Replay failed…" }).click();
  await dialog.getByText("2 deliveries.").waitFor();
  await expectSound(at, "the replay of what failed", "[role=dialog]");
  await dialog.getByLabel("Failed since").fill("2030-01-01T00:00");
  await dialog.getByText("Nothing has failed since then.").waitFor();
  await dialog.getByLabel("Failed since").fill("2020-01-01T00:00");
  await dialog.getByRole("button", { name: "Replay 2" }).click();
  await page.getByText("2 are posted again").waitFor();
  await it.advance(5_000);
  await page.reload();
  await settled(at);
  assert.equal(await page.getByText("failed", { exact: true }).count(), 1, "the filter's word alone");
});
