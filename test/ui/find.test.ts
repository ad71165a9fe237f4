// One field for pages, records, actions and the log's filters, by keyboard from every page.

import assert from "node:assert/strict";
import test from "node:test";
import type { Gateway } from "#ui/api/schema.ts";
import { findingOf, findings, isWholeId, namedFinding, testFindings } from "#ui/app/frame/find.ts";
import { expectSound, follow, missing, openOverview, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const none: Parameters<typeof findings>[2] = { records: [], named: [], accounts: [], acts: [], recent: [] };
const member = { role: "member", account: "acc_1" } as const;
const titles = (text: string, who: Parameters<typeof findings>[1], more = none) =>
  findings(text, who, more).flatMap(({ label, items }) => items.map(({ title }) => `${label}: ${title}`));

test("a text means pages, actions, and what the log's field understands", () => {
  assert.deepEqual(titles("supp", member)[0], "Go to: Suppressions");
  assert.ok(titles("send mess", member).includes("Do: Send messages"));
  assert.deepEqual(titles("+1 555", member), ["People: +1 555", "In the log: Messages to +1 555"]);
  assert.ok(!titles("webh", member).some((title) => title.startsWith("In the log")));
  assert.deepEqual(titles("SM0123456", member), [
    "In the log: Messages with the provider’s reference SM0123456",
  ]);
  assert.deepEqual(titles("no page is called so", member), []);
  const [person, group] = findings("a@b.example", member, none);
  assert.equal(person?.items[0]?.href, "/a/acc_1/people/a%40b.example");
  assert.equal(group?.items[0]?.href, "/a/acc_1/messages?recipient=a%40b.example");
  // A member has no pages of the installation; without an account there is no log.
  assert.ok(!titles("", member).includes("Go to: Users"));
  assert.deepEqual(titles("users", { role: "operator", account: null }), ["Go to: Users"]);
  assert.ok(titles("switch", { role: "operator", account: null }).includes("Do: Switch to another account"));
  const named = [namedFinding("gateway", "acc_1", "sms-main", "sms-main")];
  const records = [
    {
      kind: "gateway",
      account: { id: "acc_1", name: "acme" },
      id: "sms-main",
      title: null,
      pool: null,
      at: "",
    },
  ] as const;
  assert.deepEqual(titles("main", member, { ...none, named }), [
    "Records: sms-main",
    "Go to: Domains",
    "Do: Add a domain",
  ]);
  // What the API found as well is there once.
  const [found] = findings("sms-main", member, { ...none, named, records });
  assert.deepEqual(
    found?.items.map(({ note }) => note),
    ["gateway of acme"],
  );
  const recent = [{ href: "/a/acc_1/credit", title: "Credit", note: "page" }];
  assert.equal(findings("", member, { ...none, recent })[0]?.label, "Opened last");
});

test("each kind of record leads to its page in its own account", () => {
  const account = { id: "acc_2", name: "acme" };
  const found = (kind: Parameters<typeof findingOf>[0]["kind"], pool: string | null = null) =>
    findingOf({ kind, account, id: "x/1", title: "name", pool, at: "2026-01-01T00:00:00.000Z" });
  const paths = {
    account: "",
    message: "/messages/x%2F1",
    request: "/requests/x%2F1",
    received: "/people/name?at=x%2F1",
    gateway: "/gateways/x%2F1",
    pool: "/pools/x%2F1",
    domain: "/domains/x%2F1",
  } as const;
  for (const [kind, path] of Object.entries(paths))
    assert.equal(found(kind as keyof typeof paths).href, `/a/acc_2${path}`, kind);
  assert.equal(found("call", "pool_1").href, "/a/acc_2/pools/pool_1/calls/x%2F1");
  assert.equal(found("member", "pool_1").href, "/a/acc_2/pools/pool_1/members/x%2F1");
  assert.equal(found("pool_key", "pool_1").href, "/a/acc_2/pools/pool_1/keys");
  assert.deepEqual([found("gateway").title, found("pool").title], ["x/1", "name"]);
  assert.equal(isWholeId(` msg_${"0".repeat(26)} `), true);
  assert.equal(isWholeId(`sent msg_${"0".repeat(26)}`), false);
});

test("a test message is for the first gateway that can send now, and has a recipient where that is a sandbox", () => {
  const gateway = (identifier: string, more: Partial<Gateway> = {}) =>
    ({ identifier, channel: "sms", state: "active", session: null, test: false, ...more }) as Gateway;
  const session = (state: "connected" | "disconnected") => ({
    state,
    reason: null,
    since: "",
    linked_at: null,
  });
  const filled = (...gateways: Gateway[]) =>
    testFindings("acc_1", gateways).map(({ href }) => {
      const { pathname, searchParams: search } = new URL(href, "http://localhost");
      return [pathname, ...["channel", "gateway", "to", "message"].map((name) => search.get(name))];
    });
  const hello = "Hello from Trunkline";
  const send = "/a/acc_1/send";
  assert.deepEqual(filled(), []);
  assert.deepEqual(filled(gateway("off", { state: "off" }), gateway("main")), [
    [send, "sms", "main", null, hello],
  ]);
  const phone = { channel: "whatsapp", session: session("disconnected") } as const;
  assert.deepEqual(filled(gateway("phone", phone), gateway("stopped", { state: "stopped" })), []);
  assert.deepEqual(filled(gateway("phone", { ...phone, session: session("connected") })), [
    [send, "whatsapp", "phone", null, hello],
  ]);
  const box = { channel: "email", test: true } as const;
  assert.deepEqual(filled(gateway("box", box)), [[send, "email", "box", "delivered@example.com", hello]]);
});

test("each action that adds something opens its dialog, also by its link, and a test message is filled in", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const adds = findings("", { role: "operator", account }, none)
    .flatMap(({ items }) => items)
    .filter(({ href }) => href.includes("?open="));
  assert.ok(adds.length >= 9);
  for (const { href, title } of adds) {
    await follow(at, href);
    const dialog = page.getByRole("dialog", { name: title, exact: true });
    await dialog.waitFor();
    await page.waitForURL((address) => address.search === "");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  // On the page itself, too, and as often as one asks.
  await follow(at, `/a/${account}/api-keys`);
  for (let turn = 0; turn < 2; turn++) {
    await page.keyboard.press("/");
    await write(at, "create an api");
    await page.getByRole("option", { name: "Create an API key" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name", { exact: true }).fill(`shop-${turn}`);
    await page.getByLabel("Send SMS").check();
    await page.getByRole("button", { name: "Create the key" }).click();
    await page.getByRole("button", { name: "I have stored it" }).click();
  }
  assert.equal((await api(at, "GET", `/accounts/${account}/api-keys`)).body.data.length, 2);
  await page.keyboard.press("/");
  await write(at, "send a test");
  await page.getByRole("option", { name: "Send a test message" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Send", exact: true }).waitFor();
  await page.getByRole("button", { name: "Send the message" }).click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
});

/** Writes into the field, which has the focus once it is there. */
async function write({ page }: Visit, text: string): Promise<void> {
  await page.locator("[role=combobox]:focus").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Pastes lines; the field would put them together. */
async function paste({ page }: Visit, text: string): Promise<void> {
  await page.locator("[role=combobox]:focus").waitFor();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  }`);
}

const field = ({ page }: Visit) => page.getByRole("combobox", { name: "Find pages, records and actions" });

test("by keyboard alone: a page, a record in a line of a log, a whole id, a number, and what was opened last", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const contact = [{ number: "+15550000001", message: "hello" }];
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  const data = sent.body.data as unknown as { request_id: string; contact: { id: string }[] };
  const id = data.contact[0]?.id ?? "";
  await it.advance(60_000);

  await page.keyboard.press("/");
  await field(at).waitFor();
  await page.getByRole("option", { name: /Send messages/ }).waitFor();
  await expectSound(at, "what can be found", ".dialog");
  await page.keyboard.type("webh");
  await page.getByRole("option", { name: /Webhooks/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();

  await page.keyboard.press("Control+k");
  await paste(at, `10:04:01 message failed\nid=${id}\nlane=3`);
  const record = page.getByRole("option", { name: /\+1\s555\s000\s0001.*message of / });
  await record.waitFor();
  assert.equal(await record.getAttribute("data-highlighted"), "");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  assert.ok(page.url().endsWith(`/messages/${id}`));

  // A whole id is opened before the list has it.
  await page.keyboard.press("/");
  await write(at, data.request_id);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Request of 1 message", exact: true }).waitFor();
  // The list of the page below does not take the focus from the field, nor the keys.
  await page.keyboard.press("/");
  await write(at, `msg_${"0".repeat(26)}`);
  await page.keyboard.press("Enter");
  await page.getByText("There is no record with this id that you can see.").waitFor();

  await write(at, "+1 555 000 0001");
  await page.getByRole("option", { name: /Messages to \+1 555 000 0001/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("recipient"), "+1 555 000 0001");
  await page.getByRole("link", { name: "+15550000001" }).first().waitFor();

  // What is done in place leaves the page as it is, and the field is as high for one entry as for all.
  const height = () =>
    page.locator(".dialog").evaluate("(dialog) => [dialog.offsetTop, dialog.offsetHeight]");
  await page.keyboard.press("Control+k");
  await field(at).waitFor();
  const before = await height();
  const { pathname } = new URL(page.url());
  await write(at, "theme li");
  await page.getByRole("option", { name: "Theme: light" }).waitFor();
  await page.locator(".dialog").getByRole("option").nth(1).waitFor({ state: "detached" });
  assert.deepEqual(await height(), before);
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=light]").waitFor();
  await page.keyboard.press("Control+k");
  await write(at, "pause sandbox");
  await page
    .getByRole("option", { name: /^Pause sandbox/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByText(/^sandbox\S* is paused/).waitFor();
  assert.equal(new URL(page.url()).pathname, pathname);
  // What a confirmation covers can still be pressed, and its own buttons too.
  const above = await page.evaluate(`(() => {
    const { left, top, height } = document.querySelector(".toast").getBoundingClientRect();
    return document.elementFromPoint(left + 8, top + height / 2).closest(".toasts") !== null;
  })()`);
  assert.equal(above, false);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone").waitFor();

  await page.keyboard.press("Control+k");
  const last = page.getByRole("group", { name: "Opened last" });
  await last.getByRole("option").first().waitFor();
  assert.match(await last.getByRole("option").first().innerText(), /Messages to/);
  assert.equal(await last.getByRole("option").count(), 4);
  await page.keyboard.press("Escape");
  await field(at).waitFor({ state: "detached" });
});

test("an operator finds what another account has, from a page of none, at 320 px", {
  skip: missing,
}, async (t) => {
  const at = await visit({ width: 320 });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const made = await api(at, "POST", "/accounts", { name: "acme" });
  const account = String(
    made.body.data.id ?? (made.body.data as unknown as { account: { id: string } }).account.id,
  );
  const gateway = { identifier: "acme-main", channel: "sms", kind: "sandbox" };
  assert.equal((await api(at, "POST", `/accounts/${account}/gateways`, gateway)).status, 201);
  await page.goto(`${url}/users`);
  await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
  await page.getByRole("banner").getByRole("button", { name: "Find anything" }).click();
  await field(at).fill("acm");
  await page.getByRole("option", { name: /acme.*account/ }).waitFor();
  await field(at).fill("acme-main");
  const found = page.getByRole("option", { name: /acme-main.*gateway of acme/ });
  await found.waitFor();
  await expectSound(at, "what an operator finds at 320 px", ".dialog");
  await found.click();
  await page.getByRole("heading", { name: "acme-main", level: 1 }).waitFor();
  assert.ok(page.url().endsWith(`/a/${account}/gateways/acme-main`));
  await expectSound(at, "the header at 320 px");
});
