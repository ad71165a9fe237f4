// The home: figures of a chosen range, a column that leads to the log of its hour, and the first steps.

import assert from "node:assert/strict";
import test from "node:test";
import { providerSettings } from "../scenarios/provider.ts";
import { expectSound, missing, openOverview, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const hourMs = 3_600_000;

const part = ({ page }: Visit, title: string) =>
  page.locator("section", { has: page.getByRole("heading", { name: title, exact: true, level: 2 }) });

/** What the legend of a chart says, as one text. */
const legendOf = async (at: Visit, title: string) =>
  (await part(at, title).locator(".legend li").allTextContents()).join(" · ");

test("the home draws what became of messages by hour, and a column leads to the log of its hour", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const send = (ends: string) =>
    Promise.all(
      [...ends].map((end) =>
        api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: `+1555000000${end}` }),
      ),
    );
  await send("1113");
  await it.advance(60_000);
  const first = it.clock.now();
  await it.advance(3 * hourMs);
  await send("15");
  await it.advance(60_000);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}`);
  const messages = part(at, "Messages");
  await messages.getByText("delivered 4").waitFor();
  assert.equal(await legendOf(at, "Messages"), "delivered 4 · sent, no report 0 · failed 1 · unknown 1");
  assert.equal(await messages.locator(".column").count(), 25);
  await messages.getByText("Accepted → sent, p50 / p95").waitFor();
  await messages.locator("dd", { hasText: "80 %" }).waitFor();
  await expectSound(at, "the home with figures");
  // The time of the figures is no line of its own.
  const [time, summary] = await Promise.all(
    [".span", "summary"].map((each) => messages.locator(each).boundingBox()),
  );
  assert.equal(time?.y, summary?.y);
  // By keyboard: one stop of Tab, from the last column to the one of three hours ago.
  await messages.locator('.column[tabindex="0"]').focus();
  for (let hour = 0; hour < 3; hour++) await page.keyboard.press("ArrowLeft");
  assert.equal(await legendOf(at, "Messages"), "delivered 3 · sent, no report 0 · failed 1 · unknown 0");
  // Each outcome has its share of the column, also where one of them is small.
  const pieces = messages.locator(".column:focus .pieces > span");
  const [delivered = 0, failed = 0] = await Promise.all(
    [0, 1].map(async (at) => (await pieces.nth(at).boundingBox())?.height),
  );
  assert.ok(failed > 0 && Math.abs(delivered / failed - 3) < 0.1, `${delivered} px and ${failed} px`);
  await messages.getByText("Figures").click();
  await messages.getByRole("row", { name: /delivered 3|3 0 1 0/ }).waitFor();
  await messages.locator(".column:focus, .column[tabindex='0']").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  await page.locator("tr[data-index]").nth(3).waitFor();
  assert.equal(await page.locator("tr[data-index]").count(), 4);
  const begin = new URL(page.url()).searchParams.get("created_from");
  assert.equal(Date.parse(begin ?? ""), first - (first % hourMs));
});

test("of three test messages and two real ones, the figures are those of the real ones, and say so", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const figure = async (name: string) =>
    (
      await part(at, "Messages")
        .locator("dl > div", { has: page.getByText(name, { exact: true }) })
        .locator("dd")
        .textContent()
    )?.trim();
  const to = (number: string, gateway_identifier: string) => ({ number, message: "Hi", gateway_identifier });
  const send = async (...contact: ReturnType<typeof to>[]) => {
    const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    await it.advance(60_000);
    await page.clock.setFixedTime(it.clock.now());
    await page.goto(`${url}/a/${account}`);
    await part(at, "Messages").locator("dl").waitFor();
  };
  await send(...["1", "1", "3"].map((end) => to(`+1555000000${end}`, "sandbox-sms")));
  assert.equal(await figure("Accepted"), "3 test messages");
  assert.equal(await figure("Delivered"), "2 66.7\u00a0%");
  const web = { identifier: "web", channel: "sms", kind: "http-api", settings: providerSettings };
  await api(at, "POST", `/accounts/${account}/gateways`, web);
  it.respond(() => ({ kind: "answer", status: 200, headers: {}, body: Buffer.from('{"id":"1"}') }));
  await send(to("+4915123456781", "web"), to("+4915123456782", "web"));
  assert.equal(await figure("Accepted"), "2 and 3 test");
  assert.equal(await figure("Delivered"), "0 0\u00a0%");
  assert.equal(await legendOf(at, "Messages"), "delivered 0 · sent, no report 2 · failed 0 · unknown 0");
  await part(at, "Messages").locator('.column[tabindex="0"]').focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  await page.locator("tr[data-index]").nth(1).waitFor();
  assert.equal(await page.locator("tr[data-index]").count(), 2, "the column and its log count the same");
  await page.locator(".legend", { hasText: "sent, no report 2" }).waitFor();
});

test("the range is in the URL, and its figures are those of the range", { skip: missing }, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, it, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: "+15550000001" });
  await it.advance(26 * hourMs);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}`);
  // The session has ended in a day without a request.
  await page.getByLabel("Email address").fill("ada@acme.example");
  await page.getByLabel("Password", { exact: true }).fill("a long password of Ada");
  await page.getByRole("button", { name: "Sign in" }).click();
  await part(at, "Messages").getByText("Nothing in this time.").waitFor();
  await page.getByRole("link", { name: "7 d", exact: true }).click();
  await part(at, "Messages").getByText("delivered 1").waitFor();
  assert.equal(new URL(page.url()).search, "?last=7d");
  assert.equal(await part(at, "Messages").locator(".column").count(), 57);
  await page.goto(`${url}/a/${account}?last=30d`);
  await part(at, "Messages").getByText("delivered 1").waitFor();
  assert.equal(await part(at, "Messages").locator(".column").count(), 30);
  await expectSound(at, "the home of 30 days, dark");
});

test("the first steps send a message from the page, tick off what happened and can be hidden", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  const steps = part(at, "First steps");
  const command = (await steps.locator("pre").textContent()) ?? "";
  assert.match(command, /-H "Api-key: \$TRUNKLINE_API_KEY"/);
  await expectSound(at, "the first steps");
  await steps.getByRole("button", { name: "Send it from here" }).click();
  await page.getByRole("heading", { name: "+15550000001", level: 1 }).waitFor();
  await it.advance(60_000);
  await page.getByRole("link", { name: "Overview", exact: true }).first().click();
  await steps.getByText("See it delivered, done").waitFor();
  await steps.getByRole("link", { name: "Open the playground" }).click();
  await page.getByRole("heading", { name: "default", level: 1 }).waitFor();
  await page.getByLabel("You", { exact: true }).waitFor();
  await page.goBack();
  await steps.getByRole("button", { name: "Hide" }).click();
  await steps.waitFor({ state: "detached" });
});

test("a new account begins with a sandbox, without which nothing could be sent", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const id = (await api(at, "POST", "/accounts", { name: "second" })).body.data.id ?? "";
  await page.goto(`${url}/a/${id}`);
  const steps = part(at, "First steps");
  await steps.getByText("This account has no SMS gateway yet.").waitFor();
  assert.equal(await steps.locator("pre").count(), 0, "a command that would be refused");
  await expectSound(at, "the first steps of an account without a gateway");
  await steps.getByRole("button", { name: "Add a sandbox" }).click();
  await steps.getByText(`The gateway sandbox-sms-${id.slice(-6)} accepts it and sends nothing.`).waitFor();
  await steps.getByRole("button", { name: "Send it from here" }).click();
  await page.getByRole("heading", { name: "+15550000001", level: 1 }).waitFor();
});

test("the first view loads ten scripts of 150 kB together, and asks each of its questions once", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: "+15550000001" });
  await at.it.advance(60_000);
  await page.clock.setFixedTime(at.it.clock.now());
  const scripts: Promise<number>[] = [];
  const questions: string[] = [];
  page.on("requestfinished", (request) => {
    const path = new URL(request.url()).pathname;
    if (path.endsWith(".js")) scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  page.on("request", (request) => {
    const [, asked] = request.url().split("/api/manage/v1/");
    if (asked !== undefined) questions.push(asked.replace(account, "A").replace(/\?.*/, ""));
  });
  await page.goto(`${at.url}/a/${account}`);
  await page.getByRole("banner").getByText("Live").waitFor();
  await page.locator(".waiting").first().waitFor({ state: "detached" });
  // What a hint or the stream's hello would ask again, it asks within a moment.
  await page.waitForTimeout(500);
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
  assert.ok(scripts.length <= 10 && bytes > 0, `${scripts.length} scripts`);
  assert.ok(bytes <= 150_000, `${bytes} bytes of scripts`);
  const ofAccount = ["", "/ai-usage", "/events", "/overview", "/pools", "/stats"];
  assert.deepEqual(questions.toSorted(), [
    ...ofAccount.map((path) => `accounts/A${path}`),
    "installation",
    "session",
  ]);
});
