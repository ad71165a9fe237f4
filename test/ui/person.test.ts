// Everything about one recipient: the conversation, whether messages reach them, and the answer to what they wrote.

import assert from "node:assert/strict";
import test from "node:test";
import { storeInbound } from "#store/feedback/inbound.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import type { MessageRecord, ReceivedMessage, Suppression } from "#ui/api/schema.ts";
import { channelsOf, conversationOf, waysOf } from "#ui/people/conversation.ts";
import { expectSound, missing, openOverview, settled, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const time = (minute: number) => new Date(Date.UTC(2026, 0, 1, 9, minute)).toISOString();
const sent = (minute: number) => ({ id: `msg_${minute}`, created_at: time(minute) }) as MessageRecord;
const received = (minute: number, more: Partial<ReceivedMessage> = {}) =>
  ({
    id: `in_${minute}`,
    channel: "sms",
    opt: null,
    received_at: time(minute),
    gateway_identifier: "main",
    ...more,
  }) as ReceivedMessage;
const ids = (
  ones: Parameters<typeof conversationOf>[0],
  others: Parameters<typeof conversationOf>[1],
  suppressions: Suppression[] = [],
) => {
  const { entries, older } = conversationOf(ones, others, suppressions);
  return [entries.map(({ id }) => id), older];
};

test("two lists become one, as far back as both are known, and the one that ends first is read on", () => {
  const all = { items: [sent(9), sent(5), sent(1)], isOver: true };
  const replies = [received(8), received(4)];
  assert.deepEqual(ids(all, { items: replies, isOver: true }), [
    ["msg_1", "in_4", "msg_5", "in_8", "msg_9"],
    [],
  ]);
  // Between 4 and what is older there may be messages of theirs that were not read yet.
  assert.deepEqual(ids(all, { items: replies, isOver: false }), [
    ["in_4", "msg_5", "in_8", "msg_9"],
    ["received"],
  ]);
  assert.deepEqual(ids({ items: [sent(6)], isOver: false }, { items: replies, isOver: false }), [
    ["msg_6", "in_8"],
    ["sent"],
  ]);
  assert.deepEqual(ids(all, { items: [], isOver: false }), [[], ["received"]]);
  assert.deepEqual(ids({ items: [], isOver: true }, { items: [], isOver: true }), [[], []]);
});

test("a STOP has the suppression that it made; another one is an entry of its own, at its time", () => {
  const entry = { channel: "sms", recipient: "+1", note: null } as const;
  const stopped: Suppression = { ...entry, reason: "opt_out", created_at: time(4) };
  const stop = received(4, { opt: "out" });
  const by = (suppression: Suppression) => {
    const over = { items: [], isOver: true };
    return conversationOf(over, { items: [stop], isOver: true }, [suppression]).entries.map((each) =>
      each.kind === "received" ? each.caused : each.kind,
    );
  };
  assert.deepEqual(by(stopped), [stopped]);
  assert.deepEqual(by({ ...stopped, reason: "manual" }), [null, "suppressed"]);
  assert.deepEqual(by({ ...stopped, channel: "whatsapp" }), [null, "suppressed"]);
  assert.deepEqual(by({ ...stopped, created_at: time(3) }), ["suppressed", null]);
});

test("an answer goes through the gateway of what is answered", () => {
  const list = [
    received(9, { gateway_identifier: "two" }),
    received(8),
    received(7, { channel: "email", gateway_identifier: "mail" }),
  ];
  const ways = (at?: string) => waysOf(list, at).map(({ gateway }) => gateway);
  assert.deepEqual(ways(), ["two", "main"]);
  assert.deepEqual(ways("in_8"), ["main", "two"]);
  assert.deepEqual(["ada@acme.example", "+1 555", "123@lid", "US.12"].map(channelsOf), [
    ["email"],
    ["sms", "whatsapp"],
    ["whatsapp"],
    ["whatsapp"],
  ]);
});

const person = "+4915123456789";

/** Stores what the person wrote to the sandbox's gateway, a minute after what came before. */
async function write(at: Visit, account: string, body: string, opt: "out" | null = null): Promise<string> {
  const { database, core } = at.it.system;
  await at.it.advance(60_000);
  const id = core.newId("in");
  const gateways = await database.run(findGatewayByIdentifier, "sandbox-sms");
  await database.run(storeInbound, {
    message: {
      id,
      account_id: account,
      gateway_id: gateways?.id ?? "",
      channel: "sms",
      reference: id,
      sender: person,
      recipient: "+15005550006",
      body,
      media: "[]",
      received_at: at.it.clock.now(),
      consent_keyword: opt,
      details: null,
    },
    gatewayIdentifier: "sandbox-sms",
    replyTo: null,
    sentSince: 0,
  });
  return id;
}

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

async function send(at: Visit, account: string, message: string): Promise<void> {
  const contact = [{ number: person, message, gateway_identifier: "sandbox-sms" }];
  const reply = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  assert.equal(reply.status, 200);
  await at.it.advance(60_000);
}

test("a person who wrote STOP gets nothing, as their page says and shows; taken off, the next message goes out", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  const account = await accountOf(at);
  await send(at, account, "Your table is at 19:00");
  await write(at, account, "STOP", "out");
  await send(at, account, "Are you coming?");

  // Found by a number in another spelling, by keyboard alone.
  await page.keyboard.press("/");
  await page.locator("[role=combobox]:focus").waitFor();
  await page.keyboard.insertText("+49 151 23456789");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: person, level: 1 }).waitFor();
  const consents = page.getByRole("list", { name: "What reaches them" });
  await consents.getByText(/SMS receives nothing: answered STOP on /).waitFor();
  await consents.getByText("WhatsApp receives messages").waitFor();
  const talk = page.getByRole("region", { name: "What was sent and received" });
  const rows = talk.getByRole("listitem");
  assert.equal(await rows.count(), 3);
  await rows.nth(1).getByText("STOP", { exact: true }).waitFor();
  await rows.nth(1).getByText("Since then nothing goes out by sms.").waitFor();
  await rows.nth(2).getByText("suppressed").first().waitFor();
  await expectSound(at, "a person who wrote STOP");
  await page.setViewportSize({ width: 320, height: 800 });
  await expectSound(at, "a person at 320 px");

  await page.getByRole("button", { name: "Remove…" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Send to +49 151 2345 6789 again" });
  await dialog.getByText(/answered that they want no more messages, on /).waitFor();
  await dialog.getByText("Other accounts are not touched").waitFor();
  await expectSound(at, "the question before", "[role=alertdialog]");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("+49 151 2345 6789 gets messages again").waitFor();
  await consents.getByText("SMS receives messages").waitFor();
  await rows.nth(1).getByText("wanted no more messages").waitFor();
  await send(at, account, "Then see you at 19:00");
  await page.reload();
  await rows.nth(3).getByText("delivered").waitFor();
  await rows.nth(3).getByRole("link").click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await page
    .getByRole("region", { name: "Details" })
    .getByRole("link", { name: person, exact: true })
    .click();
  await consents.getByText("SMS receives messages").waitFor();
});

test("a number that got nothing yet can be looked up, and its conversation is read on where it is long", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await page.goto(`${url}/a/${account}/people/${encodeURIComponent("+4915199887766")}`);
  await page.getByText("Nothing was sent to them and nothing came from them").waitFor();
  await page.getByText("SMS receives messages").waitFor();
  await expectSound(at, "a number without messages");
  const first = await write(at, account, "the first");
  for (let count = 0; count < 60; count++) await write(at, account, `no. ${count}`);
  await page.goto(`${url}/a/${account}/people/${encodeURIComponent(person)}`);
  await settled(at);
  const talk = page.getByRole("region", { name: "What was sent and received" });
  await talk.getByText("no. 59").waitFor();
  assert.equal(await talk.getByText("the first").count(), 0);
  await talk.getByRole("button", { name: "Show older" }).click();
  await talk.getByText("the first").waitFor();
  // An address that names an entry reads on by itself until it is there.
  await page.goto(`${url}/a/${account}/people/${encodeURIComponent(person)}?at=${first}`);
  await talk.locator("[aria-current]").getByText("the first").waitFor();
});

test("what came in is opened from the inbox and answered once, through the gateway that received it", {
  skip: missing,
}, async (t) => {
  const at = await visit({ width: 320 });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const identifier = "another";
  const made = { identifier, channel: "sms", kind: "sandbox", default: true };
  assert.equal((await api(at, "POST", `/accounts/${account}/gateways`, made)).status, 201);
  await write(at, account, "Is it still at seven?");
  await page.goto(`${url}/a/${account}/inbox`);
  await page.getByLabel("Gateway").selectOption(identifier);
  await page.getByText("No received messages match these filters.").waitFor();
  await page.getByLabel("Gateway").selectOption("sandbox-sms");
  await page.getByLabel("From").fill("+49 151 23456789");
  await page.getByRole("main").getByRole("button", { name: "Find" }).click();
  await expectSound(at, "the inbox with filters");
  await page.getByRole("link", { name: person }).click();
  const talk = page.getByRole("region", { name: "What was sent and received" });
  await talk.locator("[aria-current]").getByText("Is it still at seven?").waitFor();

  const keys: (string | undefined)[] = [];
  await page.route("**/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    await route.fetch();
    await route.abort();
  });
  await page.getByLabel("Answer", { exact: true }).fill("Yes, at seven");
  const send = page.getByRole("button", { name: "Answer through sandbox-sms" });
  await send.dblclick();
  await page.getByText("Whether it was sent is not known.").waitFor();
  await expectSound(at, "an answer without an answer");
  await page.reload();
  await page.unroute("**/messages");
  assert.equal(await page.getByLabel("Answer", { exact: true }).inputValue(), "Yes, at seven");
  await send.click();
  await page.getByText("The answer is accepted").waitFor();
  await talk.getByText("Yes, at seven").waitFor();
  assert.equal(await page.getByLabel("Answer", { exact: true }).inputValue(), "");
  assert.ok(keys.length > 0 && new Set(keys).size === 1);
  const messages = (await api(at, "GET", `/accounts/${account}/messages`)).body.data;
  assert.deepEqual(
    messages.map(({ recipient, gateway_identifier }) => [recipient, gateway_identifier]),
    [[person, "sandbox-sms"]],
  );
});

test("the page of one person shows nothing of another's, whose page was open before", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await write(at, account, "Is it still at seven?");
  await page.goto(`${url}/a/${account}/people/${encodeURIComponent(person)}`);
  await page.getByLabel("Answer", { exact: true }).fill("Yes, at seven");
  const other = "+4915199887766";
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/[?&](recipient|from)=%2B4915199887766/, async (route) => {
    await released;
    await route.continue();
  });
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("/");
  await page.locator("[role=combobox]:focus").waitFor();
  await page.keyboard.insertText(other);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: other }).waitFor();
  assert.equal(await page.getByText("Is it still at seven?").count(), 0);
  assert.equal(await page.getByLabel("Answer", { exact: true }).count(), 0);
  release();
  await page.getByText("Nothing was sent to them and nothing came from them").waitFor();
});

test("a number is in groups wherever it is shown, and what is selected and copied is plain", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await send(at, account, "Your table is at 19:00");
  await write(at, account, "Thanks");
  await api(at, "POST", `/accounts/${account}/suppressions`, { channel: "sms", recipients: [person] });
  const { data } = (await api(at, "GET", `/accounts/${account}/messages`)).body;
  const a = `${url}/a/${account}`;
  for (const [path, place] of [
    ["messages", "tbody"],
    [`messages/${data[0]?.id}`, "h1"],
    [`messages/${data[0]?.id}`, "main dd"],
    [`people/${encodeURIComponent(person)}`, "h1"],
    ["inbox", "tbody"],
    ["suppressions", "tbody"],
  ]) {
    await page.goto(`${a}/${path}`);
    await settled(at);
    await page.locator(`${place} .digits`).first().waitFor();
    const selected = await page.evaluate(`(() => {
      const first = document.querySelector("${place} .digits");
      const groups = [...first.parentNode.children].filter(({ className }) => className === "digits");
      const apart = groups.map((group) => group.getBoundingClientRect());
      getSelection().setBaseAndExtent(groups[0], 0, groups.at(-1), 1);
      return [
        String(getSelection()),
        groups.length,
        apart.every(({ left }, at) => at === 0 || left - apart[at - 1].right > 3),
      ];
    })()`);
    assert.deepEqual(selected, [person, 4, true], `${path}, ${place}`);
  }
  await page.goto(`${a}/inbox`);
  assert.match((await page.locator("tbody tr").first().textContent()) ?? "", /\+15005550006sandbox-sms/);
});
