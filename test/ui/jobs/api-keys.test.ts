// Named API keys: one that may do little is made, used, rotated without an outage and revoked; and what the personal one's page says.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { promisify } from "node:util";
import type { Schema } from "#ui/schema-form/model.ts";
import { keySchema, wordsOf } from "#ui/settings/keys/key-schema.ts";
import { passwordOf, userFor } from "../../http/managing.ts";
import { expectSound, missing, settled, setUp, until, type Visit, visit } from "../browser.ts";
import { api } from "../pages.ts";
import { expectFocusKept, find, goTo, goToPage, press, write } from "./keyboard.ts";

const run = promisify(execFile);
const hourMs = 3_600_000;

const opened = async (at: Visit) => {
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await api(at, "PATCH", `/accounts/${account}`, { time_zone: "Europe/Berlin" });
  await at.page.clock.setFixedTime(at.it.clock.now());
  return account;
};

const send = ({ url }: Visit, key: string) =>
  fetch(`${url}/api/sms/send`, {
    method: "POST",
    headers: { "api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ contact: [{ number: "+15550000001", message: "Your table is at 19:00" }] }),
  }).then(({ status }) => status);

const lookUp = ({ url }: Visit, key: string) =>
  fetch(`${url}/api/account`, { headers: { "api-key": key } }).then(({ status }) => status);

test("the form has the words of scopes, and the account's gateways beside those that the key has", () => {
  assert.equal(wordsOf(["send:sms", "read"]), "Send SMS, Look up all messages and the account");
  const form = JSON.parse(readFileSync("ui/src/api/forms.json", "utf8")).named_key as Schema;
  const { properties = {}, required } = keySchema(form, [{ identifier: "main", channel: "sms" }], ["gone"]);
  assert.deepEqual(required, ["name", "scopes"]);
  const { enum: listed, words } = properties.gateways?.items ?? {};
  assert.deepEqual(listed, ["main", "gone"]);
  assert.deepEqual(words, { main: "main (sms)", gone: "gone (no longer exists)" });
  // A scope of the API without its words would be a box that says nothing.
  const { enum: scopes = [], words: shown = {} } = properties.scopes?.items ?? {};
  assert.deepEqual(Object.keys(shown), scopes);
});

test("a key that may only send SMS sends and looks nothing up; it is rotated with an overlap and revoked; no secret stays", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  const account = await opened(at);
  const secrets: string[] = [];
  const later: Promise<string>[] = [];
  const stored = async (title: string) => {
    const dialog = page.getByRole("dialog", { name: title });
    const secret = (await dialog.locator("pre").textContent()) ?? "";
    assert.match(secret, /^tl_/);
    await dialog.getByRole("button", { name: "Copy as .env line" }).waitFor();
    await expectSound(at, title);
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await dialog.waitFor({ state: "detached" });
    secrets.push(secret);
    return secret;
  };
  const expectGone = async (where: string) => {
    await settled(at);
    const seen = `${await page.content()} ${await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])",
    )}`;
    for (const secret of secrets) assert.ok(!seen.includes(secret), where);
  };
  await page.goto(`${url}/a/${account}/settings`);
  await page.getByRole("main").getByRole("link", { name: "API keys" }).click();
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  await page.getByText("There is no named key yet.").waitFor();
  const curl = await page.locator(".snippet pre").innerText();
  await expectSound(at, "no named key");

  await page.getByRole("button", { name: "New key" }).click();
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByLabel("Name", { exact: true }).fill("shop");
  await form.getByRole("button", { name: "Create the key" }).click();
  await form.locator("input[type=checkbox][aria-invalid=true]").first().waitFor();
  await expectSound(at, "a key without scopes");
  await form.getByLabel("Send SMS").check();
  await form.getByLabel("All gateways of the account").uncheck();
  await form.getByLabel("sandbox-sms (sms)").check();
  await form.getByLabel("Requests per minute", { exact: true }).fill("60");
  await form.getByLabel("Expires at (Europe/Berlin)").fill("2026-07-01T09:00");
  await form.getByText("1 Jul 07:00:00 UTC").waitFor();
  await expectSound(at, "the form of a key");
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await form.getByRole("button", { name: "Create the key" }).click();
  assert.deepEqual((await sent).postDataJSON(), {
    name: "shop",
    scopes: ["send:sms"],
    gateways: ["sandbox-sms"],
    requests_per_minute: 60,
    expires_at: "2026-07-01T07:00:00.000Z",
  });
  const first = await stored("The new API key");
  page.on("response", (response) => {
    if (response.headers()["content-type"]?.startsWith("application/json") === true)
      later.push(response.text().catch(() => ""));
  });
  const row = page.locator("tr[data-index]", { hasText: "shop" });
  for (const text of ["active", "Send SMS", "60 requests a minute", "sandbox-sms"])
    await row.getByText(text, { exact: true }).waitFor();
  assert.equal(await send(at, first), 200);
  assert.equal(await lookUp(at, first), 403);
  const answer = await run("sh", ["-c", curl], { env: { ...process.env, TRUNKLINE_API_KEY: first } });
  assert.equal(JSON.parse(answer.stdout).success, true);

  await row.getByRole("button", { name: "Change…" }).click();
  const change = page.getByRole("dialog", { name: "What shop may do" });
  await change.getByLabel("All gateways of the account").check();
  const patched = page.waitForRequest((request) => request.method() === "PATCH");
  await change.getByRole("button", { name: "Save" }).click();
  assert.deepEqual((await patched).postDataJSON(), { gateways: null, revision: 1 });
  await row.getByText("all", { exact: true }).waitFor();

  const more = row.getByRole("button", { name: "More for shop" });
  await more.click();
  await row.getByRole("button", { name: "Rotate…" }).click();
  const question = page.getByRole("dialog", { name: "Rotate shop" });
  await question.getByText(/^Last used/).waitFor();
  await question.getByRole("button", { name: "1 h", exact: true }).click();
  await expectSound(at, "the question before a rotation");
  // The answer to this one has the secret, and no later one.
  const rotated = page.waitForResponse((response) => response.url().endsWith("/rotate"));
  await question.getByRole("button", { name: "Rotate the key" }).click();
  await rotated;
  const second = await stored("The new text of shop");
  assert.notEqual(second, first);
  assert.deepEqual([await send(at, first), await send(at, second)], [200, 200]);
  await row.getByText("the old one works until").waitFor();
  await expectGone("the keys after a rotation");
  await it.advance(hourMs);
  await page.clock.setFixedTime(it.clock.now());
  assert.deepEqual([await send(at, first), await send(at, second)], [403, 200]);
  await page.reload();
  await row.getByText("active", { exact: true }).waitFor();
  assert.equal(await row.getByText("the old one works until").count(), 0);

  await more.click();
  await row.getByRole("button", { name: "Revoke…" }).click();
  const revoke = page.getByRole("alertdialog", { name: "Revoke shop" });
  // It was used a moment ago, which the list need not know yet.
  await revoke.locator("p.warn", { hasText: "what uses it is refused from then on" }).waitFor();
  await expectSound(at, "the question before a key is revoked");
  await revoke.getByLabel(/Type/).fill("shop");
  await revoke.getByRole("button", { name: "Revoke", exact: true }).click();
  await row.getByText("revoked", { exact: true }).waitFor();
  assert.equal(await send(at, second), 403);

  await page.goto(`${url}/a/${account}/audit`);
  for (const sentence of ["Create named key", "Update named key", "Rotate named key", "Revoke named key"])
    await page.getByText(sentence, { exact: true }).first().waitFor();
  await expectGone("the audit");
  await page.goBack();
  await expectGone("the keys, gone back to");
  const answers = await Promise.all(later);
  const withSecret = answers.filter((text) => secrets.some((secret) => text.includes(secret)));
  assert.equal(withSecret.length, 1, "only the rotation itself has answered with a text");
});

test("the personal key says when it was used; ending it at once warns and asks for the name, and 24 h more are a note", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, url, it } = at;
  const account = await opened(at);
  const { name = "" } = (await api(at, "GET", `/accounts/${account}`)).body.data;
  const made = await api(at, "POST", `/accounts/${account}/api-key`);
  const key = made.body.data.api_key ?? "";
  assert.equal(await send(at, key), 200);
  const usedAt = async () => {
    const { data } = (await api(at, "GET", `/accounts/${account}`)).body;
    return (data as unknown as { api_key: { last_used_at: string | null } }).api_key.last_used_at;
  };
  await until(at, "the use is recorded", async () => (await usedAt()) !== null);
  await it.advance(3_000);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/api-keys`);
  const part = page.getByRole("region", { name: "Personal API key" });
  await part.getByText(`${key.slice(0, 4)}…${key.slice(-4)}`).waitFor();
  await part.getByText("3 s ago").last().waitFor();
  await part.getByRole("button", { name: "Regenerate…" }).click();
  const question = page.getByRole("dialog", { name: "Regenerate the API key" });
  await question.locator("p.soft", { hasText: "Last used 3 s ago." }).waitFor();
  await question.getByRole("button", { name: "End it now" }).click();
  await question.locator("p.warn", { hasText: "Last used 3 s ago: what uses it is refused" }).waitFor();
  assert.ok(await question.getByRole("button", { name: "Regenerate the key" }).isDisabled());
  await question.getByLabel(/Type/).fill(name);
  assert.ok(await question.getByRole("button", { name: "Regenerate the key" }).isEnabled());
  await expectSound(at, "the question before the key ends");
  await question.getByRole("button", { name: "24 h" }).click();
  await question.getByRole("button", { name: "Regenerate the key" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await part.getByText("the old one works until").waitFor();
  assert.equal(await send(at, key), 200);
  await expectSound(at, "the personal key while the old one works");
});

test("without a mouse the page is found, a key is made and the focus stays", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await opened(at);
  await page.goto(url);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await find(at, "api k");
  await page.getByRole("option", { name: /API keys/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  await goToPage(at, "o", "Overview");
  await goToPage(at, "y", "API keys");
  await press(at, page.getByRole("button", { name: "New key" }));
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await write(at, form.getByLabel("Name", { exact: true }), "till");
  await press(at, form.getByLabel("Send email"), "Space");
  await goTo(at, form.getByRole("button", { name: "Create the key" }));
  await page.keyboard.press("Enter");
  await press(at, page.getByRole("button", { name: "I have stored it" }));
  await page.locator("tr[data-index]", { hasText: "till" }).getByText("Send email").waitFor();
  await expectFocusKept(at);
});

test("a member makes a key of their account, and another account's keys are not there", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, it, url } = at;
  const own = await it.account({ name: "acme" });
  const other = await it.account({ name: "a rival" });
  await userFor(it, "member@acme.example", own.id);
  await page.goto(`${url}/a/${own.id}/api-keys`);
  await page.getByLabel("Email address").fill("member@acme.example");
  await page.getByLabel("Password", { exact: true }).fill(passwordOf("member@acme.example"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "New key" }).click();
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByLabel("Name", { exact: true }).fill("reports");
  await form.getByLabel("Look up all messages and the account").check();
  await form.getByRole("button", { name: "Create the key" }).click();
  const key = (await page.getByRole("dialog").locator("pre").textContent()) ?? "";
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.locator("tr[data-index]", { hasText: "reports" }).getByText("no end").waitFor();
  assert.deepEqual([await lookUp(at, key), await send(at, key)], [200, 403]);
  assert.equal((await api(at, "GET", `/accounts/${other.id}/api-keys`)).status, 404);
  await page.goto(`${url}/a/${other.id}/api-keys`);
  await page.getByText("does not exist, or you may not see it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "New key" }).count(), 0);
});
