// The pages of gateways: what waits and how its messages ended, why one is paused and what to do, and the choice of a kind.

import assert from "node:assert/strict";
import test from "node:test";
import { adapters } from "#gateways/registry.ts";
import { schemaOf } from "#http/routes/manage/gateways/kinds.ts";
import { adviceFor } from "#ui/gateways/advice.ts";
import { callbackToken } from "#ui/gateways/callback-token.ts";
import { groupsOf } from "#ui/gateways/kinds.ts";
import { fitting } from "#ui/parts/list/card.ts";
import { isDefault } from "#ui/schema-form/model.ts";
import { providerSettings } from "../scenarios/provider.ts";
import { missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("advice is by the code alone, and only where there is more to say", () => {
  assert.equal(adviceFor("http_401")?.settings, true);
  assert.match(adviceFor("url_not_allowed")?.text ?? "", /TRUNKLINE_OUTBOUND_ALLOW/);
  for (const code of [undefined, null, "30003", "401"]) assert.equal(adviceFor(code), null);
});

test("a kind whose reports need a token says so, with and without one", () => {
  const needing: string[] = [];
  for (const { kind, receives, settings } of adapters) {
    const schema = schemaOf(settings) as object;
    const of = { kind, settings: schema } as unknown as Parameters<typeof callbackToken>[1];
    const needs = callbackToken({ settings: {} }, of);
    if (receives && JSON.stringify(schema).includes("?token=")) assert.equal(needs, "missing", kind);
    if (needs === "none") continue;
    needing.push(kind);
    const token = { callback_token: "••••", callback: { token: "••••" } };
    assert.equal(callbackToken({ settings: token }, of), "set", kind);
  }
  assert.ok(needing.includes("http-api") && needing.includes("infobip") && !needing.includes("twilio"));
});

test("kinds are grouped by what they are, and found by a part of a name", () => {
  const kind = (name: string, more: object = {}) => ({
    kind: name,
    title: name,
    summary: "",
    channels: ["sms" as const],
    test: false,
    checks: false,
    links: false,
    settings: {},
    ...more,
  });
  const kinds = [
    kind("sandbox", { test: true }),
    kind("twilio"),
    kind("android", { links: true }),
    kind("smpp"),
  ];
  assert.deepEqual(
    groupsOf(kinds, "sms").map(({ title, cards }) => [title, cards.map(({ name }) => name)]),
    [
      ["Providers", ["smpp", "twilio"]],
      ["Devices that you link", ["android"]],
      ["To try it out", ["sandbox"]],
    ],
  );
  assert.deepEqual(
    fitting(groupsOf(kinds, "sms"), " TWI ").map(({ cards }) => cards.length),
    [1],
  );
  assert.deepEqual(groupsOf(kinds, "email"), []);
});

test("settings that are as they come are folded away", () => {
  const pace = { type: "object", properties: { per_second: { default: null }, concurrency: { default: 8 } } };
  assert.ok(isDefault(pace, { per_second: null, concurrency: 8 }));
  assert.ok(!isDefault(pace, { per_second: 5, concurrency: 8 }));
  assert.ok(isDefault({ type: "string" }, undefined));
  assert.ok(!isDefault({ type: "string" }, "x"));
});

test("a paused gateway says why, what to do and what waits, and keeps the record of its pauses", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const gateways = `/accounts/${account}/gateways`;
  const made = { identifier: "broken", channel: "sms", kind: "http-api", settings: providerSettings };
  await api(at, "POST", gateways, made);
  let status = 401;
  it.respond(() => ({
    kind: "answer",
    status,
    headers: {},
    body: Buffer.from(status === 401 ? "no such key" : '{"id":"ref-1"}'),
  }));
  await api(at, "POST", `${gateways}/broken/test`, { to: "+15550000001" });
  await it.advance(1_000);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/gateways/broken`);
  const notice = page.locator(".notice", { hasText: "The provider answered 401: no such key" });
  await notice.getByText("The provider refuses the credentials").waitFor();
  await notice.getByText(/1 message waits/).waitFor();
  await notice.getByRole("link", { name: "The message that was refused" }).waitFor();
  await page.getByRole("button", { name: "Retry now" }).waitFor();
  status = 200;
  await api(at, "POST", `${gateways}/broken/resume`);
  // Nothing else is asked for while the clock moves.
  await page.goto("about:blank");
  await it.advance(5_000);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/gateways/broken`);
  const pauses = page.locator("section", { has: page.getByRole("heading", { name: "Pauses" }) });
  await pauses.getByText("The provider answered 401: no such key").waitFor();
  assert.equal(await pauses.getByText("still", { exact: true }).count(), 0);
  await page.getByRole("heading", { name: "Traffic" }).waitFor();
  assert.equal(await notice.count(), 0);
});

test("a kind is found by its name and chosen by keyboard; what may be left out is folded away", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await page.goto(`${url}/a/${account}/gateways/new`);
  await page.getByLabel("Find a provider").fill("twil");
  await page.getByRole("link", { name: "Twilio", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Name").fill("sms-main");
  const more = page.locator("details.more").first();
  assert.equal(await more.getAttribute("open"), null);
  await page.getByRole("link", { name: "Choose another kind" }).waitFor();
});

test("a fault in a part that is folded away opens it, and its control has the focus", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await page.goto(`${url}/a/${account}/gateways/new?channel=sms&kind=sandbox`);
  await page.getByLabel("Name").fill("sms-main");
  const more = page.locator("details.more").last();
  const concurrency = more.getByLabel("Concurrency");
  const fold = async () => {
    await more.locator("> summary").click();
    await concurrency.waitFor({ state: "hidden" });
  };
  const expectFocus = () => concurrency.and(page.locator(":focus")).waitFor();
  const button = page.getByRole("button", { name: "Add" });
  // What the browser itself refuses.
  await more.locator("> summary").click();
  await concurrency.fill("5000");
  await fold();
  await button.click();
  await expectFocus();
  // What the API refuses, also after the part was folded again.
  await concurrency.fill("1.5");
  for (let turn = 0; turn < 2; turn++) {
    await fold();
    await button.click();
    await more.locator(".fault").waitFor();
    await expectFocus();
  }
  await concurrency.fill("5");
  await button.click();
  await page.getByRole("heading", { name: "sms-main" }).waitFor();
});
