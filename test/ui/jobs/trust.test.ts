// What a person relies on: nothing is lost with a session, nothing is done behind their back, and it works without the world's network.

import assert from "node:assert/strict";
import test from "node:test";
import { passwordOf, userFor } from "../../http/managing.ts";
import { expectSound, missing, openOverview, setUp, type Visit, visit } from "../browser.ts";
import { api } from "../pages.ts";

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

interface Stored {
  recipient: string;
  message: string;
  status: string;
}

const stored = async (at: Visit, account: string) =>
  (await api(at, "GET", `/accounts/${account}/messages`)).body.data as unknown as Stored[];

/** Fills in a test through the sandbox, signs out in another tab and presses Send. */
async function sendSignedOut(at: Visit): Promise<void> {
  const { page, url, context } = at;
  const account = await accountOf(at);
  await page.goto(`${url}/a/${account}/gateways/sandbox-sms`);
  await page.getByLabel("Number").fill("+15550000001");
  await page.getByLabel("Text").fill("typed before the session ended");
  const tab = await context.newPage();
  await tab.goto(`${url}/a/${account}`);
  await tab.getByRole("button", { name: "ada@acme.example" }).click();
  await tab.getByRole("menuitem", { name: "Sign out" }).click();
  await tab.getByRole("button", { name: "Sign in" }).waitFor();
  await tab.close();
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
}

async function signIn({ page }: Visit, email: string, password: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.getByLabel("Email address").fill(email);
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
}

test("signed out in another tab, a person signs in over the page, and what they asked for is done once with what was typed", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  await sendSignedOut(at);
  await expectSound(at, "the sign-in over the page", "[role=dialog]");
  await signIn(at, "ada@acme.example", "a wrong password");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await signIn(at, "ada@acme.example", "a long password of Ada");
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Its page shows each step" }).waitFor();
  assert.deepEqual(
    (await stored(at, await accountOf(at))).map(({ recipient, message }) => [recipient, message]),
    [["+15550000001", "typed before the session ended"]],
  );
});

test("another person who signs in over the page sees nothing of the first one's, and nothing is done in their name", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  await userFor(it, "bob@acme.example", account);
  await sendSignedOut(at);
  await signIn(at, "bob@acme.example", passwordOf("bob@acme.example"));
  await page.getByRole("heading", { name: "Another person has signed in" }).waitFor();
  await page.getByRole("button", { name: "Go on as bob@acme.example" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.deepEqual(await stored(at, account), []);
});

test("while the service is down the page says since when; afterwards it is fresh without a reload, and no change was repeated", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it, context } = at;
  await setUp(at);
  const account = await accountOf(at);
  const due = new Date(it.clock.now() + 120_000).toISOString().slice(0, 19).replace("T", " ");
  const contact = [{ number: "+15550000001", message: "Your table", schedule_at: due }];
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  const { contact: accepted } = sent.body.data as unknown as { contact: { id: string }[] };
  await page.goto(`${url}/a/${account}/messages/${accepted[0]?.id}`);
  const state = page.locator(".page-head [role=status]");
  await state.getByText("scheduled", { exact: true }).waitFor();

  let changes = 0;
  await context.route("**/api/**", (route) => {
    if (route.request().method() !== "GET") changes += 1;
    return route.abort("connectionrefused");
  });
  it.system.app.server.closeAllConnections();
  await page.getByText(/^No answer since .* What you see is from then\.$/).waitFor();
  await page.getByRole("button", { name: "Cancel…" }).click();
  const question = page.getByRole("alertdialog", { name: "Cancel this message" });
  await question.getByRole("button", { name: "Cancel the message" }).click();
  await question.getByText("The service did not answer.").waitFor();
  await question.getByRole("button", { name: "Back" }).click();
  await expectSound(at, "a page without an answer");
  await it.advance(180_000);
  await context.unroute("**/api/**");
  await state.getByText("delivered", { exact: true }).waitFor();
  await page
    .getByText(/^No answer since/)
    .first()
    .waitFor({ state: "detached" });
  assert.equal(changes, 1);
  assert.deepEqual(
    (await stored(at, account)).map(({ status }) => status),
    ["delivered"],
  );
});

test("unplugged from the world's network the browser calls itself offline, and all works as before", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  await page.evaluate(`{
    Object.defineProperty(navigator, "onLine", { get: () => false });
    dispatchEvent(new Event("offline"));
  }`);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Gateways" }).click();
  await page.getByRole("link", { name: "sandbox-sms" }).click();
  await page.getByRole("button", { name: "+15550000001" }).click();
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByRole("link", { name: "Its page shows each step" }).click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await it.advance(60_000);
  await page.getByText(/It simulates the state "delivered"/).waitFor();
  await expectSound(at, "a message, offline");
});
