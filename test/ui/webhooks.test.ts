// The page of a webhook endpoint: changed in place, and what failed since an instant is counted before it is posted again.

import assert from "node:assert/strict";
import test from "node:test";
import { endsIn, hoursOf } from "#ui/webhooks/deliveries-by-hour.ts";
import { verifySnippet } from "#ui/webhooks/verify-snippet.ts";
import { signatureHeader } from "#webhooks/sign.ts";
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
  await page.getByRole("button", { name: "More for this endpoint" }).click();
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Events").fill("message.* gateway.*");
  await dialog.getByLabel("URL").fill("https://app.acme.example/other");
  await dialog.getByLabel("Name").fill("Bookkeeping");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("message.* gateway.*", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Bookkeeping" }).waitFor();
  await page.getByText("https://app.acme.example/other", { exact: true }).waitFor();
  await page.getByText("How to verify a signature").click();
  await page.getByText("timingSafeEqual(received, expected)").waitFor();
  await expectSound(at, "an endpoint with its snippet");
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

test("an endpoint that fails says what it answered, since when and how many wait, and they are posted now", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const webhooks = `/accounts/${account}/webhooks`;
  const made = { url: "https://app.acme.example/hook", events: ["message.delivered"] };
  const id = (await api(at, "POST", webhooks, made)).body.data.id ?? "";
  let status = 500;
  it.respond(() => ({ kind: "answer", status, headers: {}, body: Buffer.from("Traceback of acme") }));
  const contact = ["+15550000001", "+15550000010"].map((number) => ({ number, message: "Hi" }));
  await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  await it.advance(60_000);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/webhooks/${id}`);
  const facts = page.getByRole("region", { name: "State" });
  await facts.getByText("failing since").waitFor();
  await facts.getByText("Traceback of acme").waitFor();
  assert.match(
    (await facts.textContent()) ?? "",
    /Last answer500 in \d+\sms.*2 for their next try, the first in\s\d\smin/,
  );
  await expectSound(at, "an endpoint that fails");
  status = 204;
  await facts.getByRole("button", { name: "Post them now" }).click();
  await page.getByText("2 are posted now", { exact: true }).waitFor();
  await it.advance(1_000);
  await facts.getByText("204 in").waitFor();
  assert.equal(await facts.getByText("Waiting").count(), 0);
  await page.getByRole("button", { name: "Send a test" }).click();
  await it.advance(1_000);
  await page.getByText("The test was received: 204 in").waitFor();
  const rows = page.locator("tr[data-index]");
  await page.getByLabel("Event", { exact: true }).selectOption("webhook.test");
  await page.getByLabel("Happened").selectOption("24h");
  await page.waitForURL(/event=webhook.test&last=24h/);
  await rows.nth(1).waitFor({ state: "detached" });
  assert.match((await rows.textContent()) ?? "", /webhook\.test/);
  await page.getByLabel("Status").selectOption("failed");
  await page.getByText("No delivery fits these filters.").waitFor();
  await page.goto(`${url}/a/${account}/webhooks/${id}`);
  const row = page.getByRole("row").filter({ hasText: "+15550000010" });
  await row.getByRole("link", { name: "message.delivered" }).click();
  await page.getByText(/^webhook-signature: v1,/m).waitFor();
  await page.getByRole("link", { name: "+15550000010" }).click();
  await page.getByRole("heading", { name: "+15550000010", level: 1 }).waitFor();
});

test("an endpoint that is off is switched on and gets what failed, in one step", {
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
  await it.advance(1_000);
  await api(at, "PATCH", `${webhooks}/${id}`, { active: false });
  await it.advance(60_000);
  status = 204;
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/webhooks/${id}`);
  await page.getByRole("button", { name: "Switch on and replay…" }).click();
  const dialog = page.getByRole("dialog", { name: "Switch on and replay what failed" });
  await dialog.getByText("What happened while the endpoint was off").waitFor();
  await dialog.getByRole("button", { name: "Switch on and replay 1" }).click();
  await page.getByText("1 is posted again").waitFor();
  await it.advance(5_000);
  const shown = (await api(at, "GET", `${webhooks}/${id}`)).body.data as unknown as { active: boolean };
  assert.equal(shown.active, true);
  const { body } = await api(at, "GET", `${webhooks}/${id}/deliveries`);
  assert.deepEqual(
    body.data.map((delivery) => delivery.status),
    ["delivered"],
  );
});

test("the snippet of the page verifies what is posted, and nothing that was changed", async (t) => {
  const at = 1_800_000_000;
  let now = at;
  t.mock.method(Date, "now", () => now * 1_000);
  const { isGenuine } = (await import(
    `data:text/javascript,${encodeURIComponent(`${verifySnippet} export { isGenuine };`)}`
  )) as {
    isGenuine(secret: string, headers: Record<string, string>, body: Buffer): boolean;
  };
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const [id, body] = ["evt_1", Buffer.from('{"type":"message.sent"}')];
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": signatureHeader([secret], id, at, body.toString()),
  };
  assert.equal(isGenuine(secret, headers, body), true);
  assert.equal(isGenuine(secret, headers, Buffer.from('{"type":"message.read"}')), false);
  assert.equal(isGenuine(`whsec_${Buffer.alloc(32, 8).toString("base64")}`, headers, body), false);
  now += 301;
  assert.equal(isGenuine(secret, headers, body), false);
});

test("the hours of an answer are all there, each with what happened in it, and words leave out what did not", () => {
  const range = { after: "2026-01-01T10:00:00.000Z", before: "2026-01-01T12:20:00.001Z" };
  const point = { at: "2026-01-01T11:00:00.000Z", delivered: 1_200, failed_tries: 3, given_up: 0 };
  assert.deepEqual(
    hoursOf(range, [point]).map(({ from, values }) => [new Date(from).toISOString(), Object.values(values)]),
    [
      ["2026-01-01T10:00:00.000Z", [0, 0, 0]],
      ["2026-01-01T11:00:00.000Z", [1_200, 3, 0]],
      ["2026-01-01T12:00:00.000Z", [0, 0, 0]],
    ],
  );
  assert.equal(endsIn(point), "1,200 delivered · 3 failed, retried");
  assert.equal(endsIn(undefined), "");
});

test("the list and the page of an endpoint show what became of its deliveries of the last day", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const webhooks = `/accounts/${account}/webhooks`;
  const make = async (name: string) => {
    const made = { url: `https://app.acme.example/${name}`, events: ["message.sent"] };
    return (await api(at, "POST", webhooks, made)).body.data.id ?? "";
  };
  const [busy] = [await make("busy"), await make("idle")];
  let status = 500;
  it.respond(() => ({ kind: "answer", status, headers: {}, body: Buffer.from("") }));
  await api(at, "POST", `${webhooks}/${busy}/test`);
  await it.advance(1_000);
  status = 204;
  await api(at, "POST", `${webhooks}/${busy}/test`);
  await it.advance(2_000);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/webhooks`);
  const words = "1 delivered · 1 failed, retried in 24 h";
  let readings = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/webhooks/stats")) readings += 1;
  });
  const row = page.getByRole("row", { name: /app\.acme\.example\/busy/ });
  await row.getByText(words, { exact: true }).waitFor();
  await row.getByRole("img", { name: `${words}, by hour` }).waitFor();
  const idle = page.getByRole("row", { name: /app\.acme\.example\/idle/ });
  await idle.getByText("nothing posted in 24 h").waitFor();
  assert.equal(await idle.getByRole("img", { name: /in 24\sh/ }).count(), 0);
  await expectSound(at, "webhooks with their last day");
  // Hints of deliveries make the list be read again, and not its statistics of a day.
  await page.getByRole("banner").getByText("Live").waitFor();
  readings = 0;
  const listed = page.waitForResponse((reply) => new URL(reply.url()).pathname.endsWith("/webhooks"));
  await api(at, "POST", `${webhooks}/${busy}/test`);
  await it.advance(2_000);
  await listed;
  assert.equal(readings, 0);
  await row.getByRole("link", { name: "app.acme.example" }).click();
  const chart = page.getByRole("figure", {
    name: "Deliveries of the last 24 hours by outcome",
  });
  await chart.getByText("Figures").click();
  const ofNow = chart.getByRole("row").last().getByRole("cell");
  await ofNow.first().waitFor();
  assert.deepEqual((await ofNow.allInnerTexts()).slice(1), ["1", "1", "0"]);
  await expectSound(at, "an endpoint with its last day");
});
