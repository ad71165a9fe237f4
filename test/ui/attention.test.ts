// The overview and the gateways' pages name what needs a person: nothing is called well that is not.

import assert from "node:assert/strict";
import test from "node:test";
import { attentionKinds } from "#contract/manage/overview.ts";
import { providerSettings } from "../scenarios/provider.ts";
import { expectSound, missing, openOverview, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

async function accountOf(at: Visit): Promise<string> {
  return (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
}

test("the overview has a line for what the API names, with exact counts, and is well without any", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  await page.getByText("All is well.").waitFor();
  const account = await accountOf(at);
  const sends = `/accounts/${account}/gateways/sandbox-sms/test`;
  // A delivered one between the unknown ones: three in a row would pause the gateway.
  for (let count = 0; count < 11; count++) {
    for (const end of ["5", "1"]) {
      await api(at, "POST", sends, { to: `+1555000000${end}` });
      await it.advance(1_000);
    }
  }
  await api(at, "POST", sends, { to: "+15550000003" });
  await api(at, "POST", `/accounts/${account}/sending-domains`, { domain: "acme.example" });
  await it.advance(60_000);
  const needs = page.locator("section", { has: page.getByRole("heading", { name: "Needs attention" }) });
  for (const text of [
    /^unknownMessages11 messages may or may not have been sent.*Answer/,
    /^failedMessages1 message of the last 24 hours failed/,
    /^not verifiedacme.exampleNo key of this domain signs mail yet.*Check/,
  ])
    await needs.locator("tbody tr", { hasText: text }).waitFor();
  // The page to which a count leads lists what was counted.
  await needs.locator("tbody tr", { hasText: "failed" }).getByRole("link", { name: "View" }).click();
  const status = page.getByLabel("Status").locator("option:checked");
  assert.equal(await status.textContent(), "any failure");
  await page.locator("tbody tr[data-index]", { hasText: "0003" }).waitFor();
  assert.equal(await page.locator("tbody tr[data-index]").count(), 1);
  await page.goBack();
  // Tests no longer need anyone once there is a real gateway.
  await api(at, "POST", `/accounts/${account}/gateways`, {
    identifier: "phone",
    channel: "sms",
    kind: "android",
  });
  await it.advance(60_000);
  await page.reload();
  await needs.locator("tbody tr", { hasText: /^not linkedphoneNo device is linked.*Link it/ }).waitFor();
  assert.equal(await needs.getByRole("link", { name: "Messages" }).count(), 0);
  assert.equal(await page.getByText("All is well.").count(), 0);
  await needs.getByRole("link", { name: "acme.example", exact: true }).click();
  await page.getByRole("heading", { name: "acme.example", level: 1 }).waitFor();
});

test("every kind of thing that the API may name has a line of its own", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const account = await accountOf(at);
  const { body } = await api(at, "GET", `/accounts/${account}/overview`);
  const severities = ["warning", "doubt", "error"];
  const attention = attentionKinds.map((kind, at) => ({
    kind,
    severity: severities[at % severities.length],
    subject: { id: kind, name: `name of ${kind}` },
    since: "2026-01-01T00:00:00.000Z",
    until: "2026-01-01T00:00:05.000Z",
    reason: `reason of ${kind}`,
    count: { n: 1_000, more: true },
    href: `/api/manage/v1/accounts/${account}/messages?status=failed`,
  }));
  const answer = { ...body, data: { ...(body.data as object), attention } };
  await page.route("**/overview", (route) => route.fulfill({ json: answer }));
  await page.goto(`${at.url}/a/${account}`);
  const lines = page
    .locator("section", { has: page.getByRole("heading", { name: "Needs attention" }) })
    .locator("tbody tr");
  await lines.getByText("1,000 or more messages may or may not have been sent").waitFor();
  assert.equal(await lines.count(), attentionKinds.length);
  for (const line of await lines.allTextContents()) {
    assert.ok(line.length > 20, line);
    assert.doesNotMatch(line, /(next try|tried again)[^·]*\sago/);
  }
  // The worst come first, and each has one thing to do.
  const names = await lines.locator("td:nth-child(2)").allTextContents();
  const places = names.map((name) => {
    const { severity = "" } = attention.find(({ subject }) => subject.name === name) ?? {};
    return ["error", "doubt", "warning"].indexOf(severity);
  });
  assert.deepEqual(places, [...places].sort());
  assert.equal(await lines.locator("td.act :is(a, button)").count(), attentionKinds.length);
  await expectSound(at, "every kind of thing that needs a person");
  assert.equal(await page.getByText("All is well.").count(), 0);
});

test("a phone that is not linked is not called active", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const phone = { identifier: "phone", channel: "sms", kind: "android" };
  assert.equal((await api(at, "POST", `/accounts/${account}/gateways`, phone)).status, 201);
  await page.goto(`${url}/a/${account}/gateways`);
  const card = page.getByRole("article").filter({ has: page.getByRole("link", { name: "phone" }) });
  await card.getByText("not linked").waitFor();
  assert.equal(await card.getByText("active").count(), 0);
  const box = page.getByRole("article").filter({ has: page.getByRole("link", { name: "sandbox-sms" }) });
  await box.getByText("active").waitFor();
  await card.getByRole("link", { name: "phone" }).click();
  await page.getByText("Nothing is sent through it meanwhile.").waitFor();
  assert.equal(await page.getByText("active", { exact: true }).count(), 0);
});

test("a next try is in the future, or said to come with the next message", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  const made = await api(at, "POST", `/accounts/${account}/gateways`, {
    identifier: "broken",
    channel: "sms",
    kind: "http-api",
    settings: providerSettings,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  it.respond(() => ({ kind: "answer", status: 401, headers: {}, body: Buffer.from("no such key") }));
  await api(at, "POST", `/accounts/${account}/gateways/broken/test`, { to: "+15550000001" });
  await it.advance(1_000);
  const paused = await api(at, "GET", `/accounts/${account}/gateways/broken`);
  const pause = (paused.body.data as unknown as { pause: { until: string } | null }).pause;
  assert.ok(pause?.until);
  const paths = [`/a/${account}`, `/a/${account}/gateways`, `/a/${account}/gateways/broken`];
  for (const [seen, expected] of [
    [Date.parse(pause.until) - 4_000, /next try:? in\s4\ss/i],
    [Date.parse(pause.until) + 26_000, /next try:? with the next message that is due/i],
  ] as const) {
    await page.clock.setFixedTime(seen);
    for (const path of paths) {
      await page.goto(`${url}${path}`);
      await page.getByText(expected).first().waitFor();
      assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /next try[^·]{0,12}\sago/i);
    }
  }
  // The button beside the reason ends the pause once the provider answers.
  it.respond(() => ({ kind: "answer", status: 200, headers: {}, body: Buffer.from('{"id":"1"}') }));
  await page.goto(`${url}/a/${account}`);
  await page.getByRole("button", { name: "Retry now broken" }).click();
  await it.advance(1_000);
  await page.getByRole("button", { name: "Retry now broken" }).waitFor({ state: "detached" });
  const after = (await api(at, "GET", `/accounts/${account}/gateways/broken`)).body.data;
  assert.equal((after as unknown as { state: string }).state, "active");
});
