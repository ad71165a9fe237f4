// Support without a mouse: what became of a message, and the answer to one whose outcome is unknown.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, openOverview, type Visit, visit } from "../browser.ts";
import { api } from "../pages.ts";
import { expectFocusSeen, find, goTo, goToPage, press } from "./keyboard.ts";

interface Stored {
  id: string;
  request_id: string;
  status: string;
  provider_reference: string | null;
}

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

const stored = async (at: Visit, account: string) =>
  (await api(at, "GET", `/accounts/${account}/messages`)).body.data as unknown as Stored[];

test("support finds what happened to a number that a customer read out, a provider's reference, a message and a request, each with one Enter", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  const account = await accountOf(at);
  await api(at, "PATCH", `/accounts/${account}`, { country: "DE" });
  const contact = [{ number: "0151 23456789", message: "Your parcel comes today" }];
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  assert.equal(sent.status, 200);
  await it.advance(60_000);
  const [message] = await stored(at, account);
  assert.ok(message?.provider_reference);

  await find(at, "0151/234 567 89");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "+4915123456789", level: 1 }).waitFor();
  await page.getByText("SMS receives messages").waitFor();
  const talk = page.getByRole("region", { name: "What was sent and received" });
  await talk.getByText("Your parcel comes today").waitFor();
  await press(at, talk.getByRole("link").first());
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await page.getByText(/It simulates the state "delivered"/).waitFor();

  // A provider's reference may be that of several messages: the log shows them.
  await find(at, message.provider_reference, "Control+k");
  await page.getByRole("option", { name: /Messages with the provider’s reference/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  const rows = page.locator("tr[data-index]");
  await rows.getByText("+4915123456789").waitFor();
  assert.equal(await rows.count(), 1);
  await page.keyboard.press("j");
  await page.locator("tr[data-index='0'] .row-link:focus").waitFor();
  await expectFocusSeen(at);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What happened" }).waitFor();

  await goToPage(at, "o", "Overview");
  await find(at, message.id);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  assert.ok(page.url().endsWith(`/messages/${message.id}`));
  await find(at, message.request_id);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Request of 1 message", exact: true }).waitFor();
  await expectSound(at, "a request that was found");
});

test("many messages unknown are answered at once: the overview says so, all are chosen, one request is made, and the line is gone", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, it } = at;
  await openOverview(at);
  const account = await accountOf(at);
  // A delivered one between the unknown ones: three in a row would pause the gateway.
  for (const end of "515150") {
    const to = `+155500000${end === "0" ? "50" : `0${end}`}`;
    await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to });
    await it.advance(1_000);
  }
  await it.advance(60_000);
  const unknown = (await stored(at, account)).filter(({ status }) => status === "unknown");
  assert.equal(unknown.length, 3);

  const line = page
    .getByRole("region", { name: "Needs attention" })
    .locator("tr", { hasText: "3 messages may or may not have been sent" });
  await press(at, line.getByRole("link", { name: "Answer" }));
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  const rows = page.locator("tr[data-index]");
  await rows.nth(2).waitFor();
  // The first row by its key, the others with all: the keys act where the focus is.
  await page.keyboard.press("j");
  await page.locator("tr[data-index='0'] .row-link:focus").waitFor();
  await expectFocusSeen(at);
  await page.keyboard.press("x");
  await page.getByText("1 chosen").waitFor();
  await goTo(at, page.getByRole("checkbox", { name: "Choose all that are shown" }), { back: true });
  await page.keyboard.press("Space");
  await page.getByText("3 chosen").waitFor();
  await press(at, page.getByRole("button", { name: "Mark as sent…" }));
  const dialog = page.getByRole("dialog", { name: "Mark as sent" });
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST")
      calls.push(new URL(request.url()).pathname.split("/").slice(-2).join("/"));
  });
  await press(at, dialog.getByRole("button", { name: "Mark as sent: 3 messages" }));
  await page.getByText("3 messages changed").waitFor();
  assert.deepEqual(calls, ["messages/bulk"]);
  await page.getByText("No messages match:").waitFor();
  await expectSound(at, "the log without messages unknown");
  assert.deepEqual(
    (await stored(at, account))
      .filter(({ id }) => unknown.some((each) => each.id === id))
      .map((each) => each.status),
    ["sent", "sent", "sent"],
  );
  await goToPage(at, "o", "Overview");
  await line.waitFor({ state: "detached" });
});
