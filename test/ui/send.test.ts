// The page that sends: what is composed becomes one request, which is accepted once, come what may to its answer.

import assert from "node:assert/strict";
import test from "node:test";
import { passwordOf, userFor } from "../http/managing.ts";
import { providerSettings } from "../scenarios/provider.ts";
import { expectSound, missing, openOverview, settled, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const messagesOf = async (at: Visit, account: string) =>
  (await api(at, "GET", `/accounts/${account}/messages`)).body.data;

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

test("a newcomer sends by keyboard from the overview, and sees it delivered", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  await page.keyboard.press("c");
  await page.getByRole("heading", { name: "Send", exact: true }).waitFor();
  await page.getByRole("button", { name: "+15550000001 delivered" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 recipient.").waitFor();
  await page.getByLabel("Text", { exact: true }).focus();
  await page.keyboard.type("It’s ready");
  await page.getByText("1 segment · ucs2 · 10 of 70").waitFor();
  await expectSound(at, "the page that sends");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Send the message" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await it.advance(60_000);
  await page.getByText(/It simulates the state "delivered"/).waitFor();
  // What was sent is not offered again.
  await page.getByRole("link", { name: "Send messages" }).click();
  assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "");
});

test("a double click, a lost answer and a reload send once; what was changed afterwards is a send of its own", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await page.goto(`${url}/a/${account}/send?channel=sms&to=%2B15550000001`);
  await page.getByLabel("Text", { exact: true }).fill("once");
  const keys: (string | undefined)[] = [];
  await page.route("**/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    await route.fetch();
    await route.abort();
  });
  const send = page.getByRole("button", { name: "Send the message" });
  await send.dblclick();
  await page.getByText("Whether it was sent is not known.").waitFor();
  await expectSound(at, "a send without an answer");
  await page.reload();
  assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "once");
  await send.click();
  await page.getByText("Whether it was sent is not known.").waitFor();
  assert.ok(keys.length >= 2 && keys[0] !== undefined && new Set(keys).size === 1, keys.join());
  assert.equal((await messagesOf(at, account)).length, 1);
  await page.unroute("**/messages");
  await page.getByLabel("Text", { exact: true }).fill("twice");
  await send.click();
  await page.getByText("It was sent before in another form").waitFor();
  await expectSound(at, "a send under a key that was used");
  assert.equal((await messagesOf(at, account)).length, 1);
  await page.getByRole("button", { name: "Make it a send of its own" }).click();
  await send.click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  assert.equal((await messagesOf(at, account)).length, 2);
});

test("several are scheduled on the account's clocks; faults are at their fields, and the log shows the request", {
  skip: missing,
}, async (t) => {
  const at = await visit({ width: 320 });
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  assert.equal((await api(at, "PATCH", `/accounts/${account}`, { time_zone: "Asia/Tokyo" })).status, 200);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/send`);
  await page.getByLabel("To", { exact: true }).fill("+15550000001\nno-number");
  await page.getByRole("button", { name: "At a time" }).click();
  const when = page.getByLabel("At (Asia/Tokyo)");
  await when.fill("2027-03-01T09:30");
  await page.getByRole("button", { name: "Schedule 2 messages" }).click();
  await page.getByText("no-number: ").waitFor();
  assert.equal(await page.locator("[aria-invalid=true]").count(), 2);
  await expectSound(at, "a send with faults");
  await page.getByLabel("To", { exact: true }).fill("+15550000001\n+15550000002");
  await page.getByLabel("Text", { exact: true }).fill("Good morning");
  await page.getByRole("button", { name: "Schedule 2 messages" }).click();
  await page.getByRole("heading", { name: "Request of 2 messages" }).waitFor();
  assert.match(page.url(), /\/requests\/req_/);
  const stored = await messagesOf(at, account);
  assert.deepEqual(
    stored.map(({ schedule_at, scheduled_for }) => [schedule_at, scheduled_for]),
    Array(2).fill(["2027-03-01 09:30:00", "2027-03-01T00:30:00.000Z"]),
  );
});

test("before anything is sent the page says what would become of each recipient, and what it costs", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const made = { identifier: "real", channel: "sms", kind: "http-api", settings: providerSettings };
  await api(at, "POST", `/accounts/${account}/gateways`, made);
  const suppressed = { channel: "sms", recipients: ["+4915100000009"] };
  await api(at, "POST", `/accounts/${account}/suppressions`, suppressed);
  await api(at, "PATCH", `/accounts/${account}`, {
    time_zone: "Europe/Berlin",
    plan: { credit: { sms: 1 } },
  });
  await page.goto(`${url}/a/${account}/send?gateway=real`);
  const preview = page.locator("section", { has: page.getByRole("heading", { name: "What will happen" }) });
  await page
    .getByLabel("To", { exact: true })
    .fill("+4915100000001\n+4915100000009\nsomebody\n+4915100000002");
  await page.getByLabel("Text", { exact: true }).fill("Good morning");
  await preview.getByText("2 would go out now through real.").waitFor();
  await preview.getByText("1 would end unsent: put on the suppression list by a person.").waitFor();
  await preview.getByText(/1 is refused, and nothing is sent then: .*number/).waitFor();
  await preview.getByText("It costs 3 of 1 left. That is too little: nothing would be sent.").waitFor();
  await expectSound(at, "the preview");
  await page.getByLabel("To", { exact: true }).fill("+4915100000001");
  await preview.getByText("1 goes out now through real.").waitFor();
  await page.getByRole("button", { name: "At a time" }).click();
  await page.getByLabel("At (Europe/Berlin)").fill("2027-03-28T02:30");
  await preview.getByText("that time does not occur on its day").waitFor();
  await preview.getByText(/28 Mar 2027 03:30:00/).waitFor();
  await preview.getByText("It costs 1 of 1 left.").waitFor();
  await api(at, "POST", `/accounts/${account}/gateways/real/pause`);
  await page.getByLabel("Text", { exact: true }).fill("Good evening");
  await preview.getByText("1 would wait: real is stopped.").waitFor();
  assert.deepEqual(await messagesOf(at, account), []);
  await page.setViewportSize({ width: 320, height: 800 });
  await expectSound(at, "the preview at 320 px");
});

test("an email with a file, a WhatsApp list and a template are composed and sent", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark", width: 320 });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const open = async (channel: string) => {
    await page.goto(`${url}/a/${account}/send?channel=${channel}`);
    await settled(at);
  };
  const send = async () => {
    await page.getByRole("button", { name: "Send the message" }).click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
  };
  // Where filling a field has scrolled to, a button may be half under the head, and is a small target there.
  const soundFromTop = async (where: string) => {
    await page.evaluate("scrollTo(0, 0)");
    await expectSound(at, where);
  };
  await open("email");
  await page.getByRole("button", { name: "delivered@example.com" }).click();
  await page.getByLabel("Subject").fill("Your invoice");
  await page.getByLabel("Text or HTML").fill("<p>Hello</p>");
  const file = { name: "invoice.txt", mimeType: "text/plain", buffer: Buffer.from("12 EUR") };
  await page.getByLabel("Files").setInputFiles(file);
  await page.getByRole("button", { name: "Remove invoice.txt" }).waitFor();
  await soundFromTop("an email");
  // The browser keeps no file over a reload: without it the mail would be another one.
  await page.reload();
  await page.getByText("Choose invoice.txt again").waitFor();
  await page.getByRole("button", { name: "Send the message" }).click();
  await page.getByLabel("Files").setInputFiles(file);
  await page.getByText("Choose invoice.txt again").waitFor({ state: "detached" });
  await send();
  const [mail] = (await messagesOf(at, account)) as unknown as {
    attachments: { filename: string; size: number }[];
  }[];
  assert.deepEqual(
    mail?.attachments.map(({ filename, size }) => [filename, size]),
    [["invoice.txt", 6]],
  );

  await open("whatsapp");
  await page.getByLabel("To", { exact: true }).fill("+15550000001");
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByLabel("Text", { exact: true }).fill("When shall we deliver?");
  await page.getByLabel("Button").fill("Choose");
  await page.getByLabel("Title").fill("Morning");
  await page.getByRole("button", { name: "Add a row" }).click();
  await page.getByRole("button", { name: "Send the message" }).click();
  await page.getByRole("group", { name: "Row 2" }).locator("[aria-invalid=true]").waitFor();
  await soundFromTop("a list with a fault");
  await page.getByRole("group", { name: "Row 2" }).getByLabel("Title").fill("Evening");
  await send();

  await open("whatsapp");
  await page.getByLabel("To", { exact: true }).fill("+15550000001");
  await page.getByRole("button", { name: "Template" }).click();
  await page.getByLabel("Template").fill("order_shipped");
  await page.getByLabel("Values").fill("Ada");
  await page.getByLabel("Text for your own log").fill("Your order is on its way, Ada.");
  await soundFromTop("a template");
  await page.getByText("The same from your application").click();
  await page.getByText("/api/whatsapp/send").waitFor();
  await soundFromTop("the call of the public API");
  await send();
});

test("what one person composed is not the next one's, and is gone from the tab once they sign out", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  await userFor(it, "member@acme.example", account);
  await page.goto(`${url}/a/${account}/send`);
  const text = page.getByLabel("Text", { exact: true });
  await text.fill("from Ada");
  const signIn = async (email: string, password: string) => {
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  // The session ends without a word: the draft stays, for Ada alone.
  await at.context.clearCookies();
  await page.goto(`${url}/a/${account}/send`);
  await signIn("member@acme.example", passwordOf("member@acme.example"));
  await text.waitFor();
  assert.equal(await text.inputValue(), "");
  await text.fill("from a member");
  const kept = () => page.evaluate(`JSON.stringify({ ...sessionStorage }).includes("from ")`);
  assert.equal(await kept(), true);
  await page.getByRole("button", { name: "member@acme.example" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Email address").waitFor();
  assert.equal(await kept(), false);
});

test("a send to more than a hundred asks for their number, once, and says what it costs", {
  skip: missing,
}, async (t) => {
  const at = await visit({ width: 320 });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const made = { identifier: "real", channel: "sms", kind: "http-api", settings: providerSettings };
  assert.equal((await api(at, "POST", `/accounts/${account}/gateways`, made)).status, 201);
  await api(at, "PATCH", `/accounts/${account}`, { plan: { credit: { sms: 812 } } });
  await page.goto(`${url}/a/${account}/send?channel=sms&gateway=real`);
  const numbers = Array.from({ length: 101 }, (_each, place) => `+4915100000${100 + place}`);
  await page.getByLabel("To", { exact: true }).fill(numbers.join("\n"));
  await page.getByLabel("Text", { exact: true }).fill("x".repeat(161));
  await page.getByText("It costs 200 of 812 left.").waitFor();
  const send = page.getByRole("button", { name: "Send 101 messages" });
  await send.click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("By the preview it costs 202 of 812 left.").waitFor();
  const agree = dialog.getByRole("button", { name: "Send 101 messages" });
  assert.equal(await agree.isDisabled(), true);
  await expectSound(at, "the question before a send to many", ".dialog");
  await dialog.getByRole("button", { name: "Back" }).click();
  assert.equal((await messagesOf(at, account)).length, 0);
  await send.click();
  await page.route("**/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
  });
  await dialog.getByLabel("Type 101 to go on.").fill("101");
  await page.keyboard.press("Enter");
  await page.getByText("Whether it was sent is not known.").waitFor();
  await page.unroute("**/messages");
  // It is the same send: it does not ask again.
  await send.click();
  await page.getByRole("heading", { name: "Request of 101 messages" }).waitFor();
  const stored = await api(at, "GET", `/accounts/${account}/messages?limit=200`);
  assert.equal(stored.body.data.length, 101);
});
