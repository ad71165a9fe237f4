// What the dashboard says is so: sentences, times and commands that a person acts on, in a real browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { passwordOf, userFor } from "../http/managing.ts";
import { expectSound, missing, openOverview, settled, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("the first command, pasted into a shell, carries the key that the shell has", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  await openOverview(at);
  const command = (await at.page.locator("pre").first().textContent()) ?? "";
  const script = `curl() { for word in "$@"; do echo "<$word>"; done; }; ${command}`;
  const env = { ...process.env, TRUNKLINE_API_KEY: "key-of-acme" };
  const words = execFileSync("sh", ["-c", script], { env, encoding: "utf8" });
  assert.match(words, /^<Api-key: key-of-acme>$/m);
  assert.match(words, /^<\{"contact":\[\{"number":"\+15550000001".*>$/m);
});

test("two letters lead to a page, also where the second one is a g", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  await openOverview(at);
  for (const [letters, title] of [
    ["gm", "Messages"],
    ["gg", "Gateways"],
    ["go", "Overview"],
  ] as const) {
    for (const letter of letters) await at.page.keyboard.press(letter);
    await at.page.getByRole("heading", { name: title, level: 1 }).waitFor();
  }
});

/** What the account of the first start is called in paths, in a zone that is not UTC. */
async function abroad(at: Visit): Promise<string> {
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const changed = await api(at, "PATCH", `/accounts/${account}`, { time_zone: "Asia/Kathmandu" });
  assert.equal(changed.status, 200);
  return account;
}

const inKathmandu = (iso: string) =>
  new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZone: "Asia/Kathmandu",
  })
    .format(new Date(iso))
    .replace(", ", " ");

test("a message that a person marked says who did, and its times have the account's zone and their date", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await abroad(at);
  const tried = await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, {
    to: "+15550000005",
  });
  await at.it.advance(60_000);
  const id = tried.body.data.id ?? "";
  await page.goto(`${url}/a/${account}/messages/${id}`);
  await page.getByRole("button", { name: "Mark as sent…" }).click();
  await page.getByRole("button", { name: "Mark as sent", exact: true }).click();
  await page.getByText("Marked as sent by ada@acme.example. A delivery report").first().waitFor();
  assert.equal(await page.getByText("The provider has accepted it").count(), 0);
  const times = page.locator(".timeline li > time");
  for (const time of await times.all()) {
    const iso = (await time.getAttribute("datetime")) ?? "";
    const text = (await time.textContent()) ?? "";
    assert.ok(text.replace(/ \d{4} /, " ").startsWith(inKathmandu(iso).replace(/ \d{4} /, " ")), text);
  }
  assert.ok((await times.count()) > 1);
  await page.getByText("Times are in Asia/Kathmandu.").waitFor();
  await page.goto(`${url}/installation`);
  await page.getByText("Times are in UTC.").waitFor();
});

test("the instant in a sentence of the API's is shown in the account's zone", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  await setUp(at);
  const account = await abroad(at);
  const day = new Date(at.it.clock.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const sent = await api(at, "POST", `/accounts/${account}/messages`, {
    channel: "sms",
    contact: [{ number: "+15550000001", message: "soon", schedule_at: `${day} 09:00:00` }],
  });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const list = await api(at, "GET", `/accounts/${account}/messages`);
  await at.page.goto(`${at.url}/a/${account}/messages/${list.body.data[0]?.id}`);
  const due = at.page.locator(".timeline .soft", { hasText: "Due at" });
  assert.match((await due.textContent()) ?? "", /Due at \d+ \w+( \d{4})? 09:00:00\.$/);
});

test("a message on a gateway that a person stopped says so with a link, and is nowhere due now", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/pause`);
  const contact = [{ number: "+15550000001", message: "Hi", gateway_identifier: "sandbox-sms" }];
  await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  await at.it.advance(28 * 60_000);
  const list = await api(at, "GET", `/accounts/${account}/messages`);
  await page.goto(`${url}/a/${account}/messages/${list.body.data[0]?.id}`);
  const sentence = page.getByText("Its gateway sandbox-sms was stopped by ada@acme.example at");
  assert.match((await sentence.textContent()) ?? "", /It is sent when someone resumes it\./);
  await settled(at);
  assert.doesNotMatch((await page.getByRole("main").textContent()) ?? "", /due now|goes out/i);
  await expectSound(at, "a message that waits for a person");
  await page.getByRole("link", { name: "See the gateway" }).click();
  await page.getByRole("heading", { name: "sandbox-sms", level: 1 }).waitFor();
  await page.goto(`${url}/a/${account}/messages`);
  await page.getByRole("row").filter({ hasText: "gateway stopped" }).waitFor();
});

test("Check is there for kinds that have one, and a refusal is in the API's own words", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  // Whether a device is linked is no question for a provider.
  const made = await api(at, "POST", `/accounts/${account}/gateways`, {
    identifier: "phone",
    channel: "sms",
    kind: "android",
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await page.goto(`${url}/a/${account}/gateways/sandbox-whatsapp`);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("access: A sandbox has no provider.").waitFor();
  await page.goto(`${url}/a/${account}/gateways/phone`);
  await page.getByRole("heading", { name: "Send a test" }).waitFor();
  await settled(at);
  assert.equal(await page.getByRole("button", { name: "Check", exact: true }).count(), 0);
  await page.route("**/gateways/phone/test", (route) =>
    route.fulfill({ status: 404, json: { success: false, message: "The number is not in service." } }),
  );
  await page.getByLabel("Number").fill("+15550000001");
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByRole("alert").getByText("The number is not in service.").waitFor();
});

test("what is pasted into the log's field is looked up as what it is", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  for (const end of ["1", "2"])
    await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: `+1555000000${end}` });
  await at.it.advance(60_000);
  const { data } = (await api(at, "GET", `/accounts/${account}/messages?recipient=%2B15550000002`)).body;
  const { id = "", request_id = "", provider_reference = "" } = data[0] ?? {};
  assert.ok(request_id.startsWith("req_") && provider_reference !== "");
  const rows = page.locator("tbody tr");
  const find = async (text: string) => {
    await page.goto(`${url}/a/${account}/messages?status=failed`);
    await page.getByLabel("Recipient, reference or id").fill(text);
    await page.getByRole("main").getByRole("button", { name: "Find" }).click();
  };
  for (const text of [request_id, `X-Request-Id: ${request_id}`, provider_reference]) {
    await find(text);
    await rows.getByText("+15550000002").waitFor();
    assert.equal(await rows.count(), 1, text);
  }
  await find(`a line of a log about ${id}, and more`);
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await find("no such reference");
  await page.getByText("No messages match:").waitFor();
  await page.getByRole("main").locator("dd", { hasText: "no such reference" }).waitFor();
});

/** Signs in as another tab of the same browser would. */
const signInElsewhere = (at: Visit, email: string, password: string) =>
  at.page.evaluate(
    `fetch("/api/manage/v1/session", { method: "POST", headers: { "content-type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ email, password }))} }).then((reply) => reply.status)`,
  );

test("another person's session in another tab is noticed, the same person's is taken over", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await userFor(at.it, "bob@acme.example", account);
  await page.goto(`${url}/a/${account}/gateways/sandbox-sms`);
  await page.getByLabel("Number").fill("+15550000001");
  assert.equal(await signInElsewhere(at, "ada@acme.example", "a long password of Ada"), 200);
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByRole("link", { name: "Its page shows each step" }).waitFor();
  assert.equal(await signInElsewhere(at, "bob@acme.example", passwordOf("bob@acme.example")), 200);
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByRole("heading", { name: "Another person has signed in" }).waitFor();
  assert.equal(await page.getByText("sandbox-sms").count(), 0, "what was on the page is still there");
  const list = await api(at, "GET", `/accounts/${account}/messages`);
  assert.equal(list.body.data.length, 1, "the change was made under the other name");
  await page.getByRole("button", { name: "Go on as bob@acme.example" }).click();
  await page.getByRole("button", { name: "bob@acme.example member" }).waitFor();
});

test("a path that leads nowhere has the frame and a way back", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  for (const [path, back] of [
    [`/a/${account}/nowhere`, "To the overview"],
    ["/nowhere/at/all", "To the start"],
  ] as const) {
    await page.goto(`${url}${path}`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await expectSound(at, path);
    await page.getByRole("link", { name: back }).click();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  }
});
