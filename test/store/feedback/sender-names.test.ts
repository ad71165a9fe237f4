// One person under several names: an opt-out holds, an answer is linked and a reply window is open for the recipient that
// was written to, by whichever name the person answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type IncomingMessage, storeInbound } from "#store/feedback/inbound.ts";
import { lastHeard } from "#store/feedback/reply-windows.ts";
import { deleteSenderNames, senderNameMs } from "#store/feedback/sender-names.ts";
import type { InboundTable } from "#store/schema/feedback.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { fresh, makeSending, now, settle } from "../rows.ts";

interface Sent {
  store: Store;
  accountId: string;
  gatewayId: string;
  id: string;
}

/** A message that was sent to `recipient`; the provider's answer names the recipient `knownAs`. */
async function sendTo(
  store: Store,
  recipient: string,
  { knownAs, channel = "whatsapp" }: { knownAs?: string; channel?: "sms" | "whatsapp" } = {},
): Promise<Sent & { accept: () => Promise<unknown> }> {
  const sending = await makeSending(store, { channel, each: { recipient } });
  const accept = () =>
    settle(store, sending, "accepted", {
      details: { reference: `ref-${sending.id}` },
      ...(knownAs === undefined ? {} : { knownAs }),
    });
  return { store, accountId: sending.accountId, gatewayId: sending.gatewayId, id: sending.id, accept };
}

/** Stores a message from `sender`; returns it as it is stored. */
async function receive(
  { store, accountId, gatewayId }: Sent,
  sender: string,
  {
    opt = null,
    userId = null,
    channel = "whatsapp",
    ...more
  }: {
    opt?: "out" | "in" | null;
    userId?: string | null;
    channel?: "sms" | "whatsapp" | "email";
  } & Partial<IncomingMessage> = {},
): Promise<InboundTable> {
  const id = fresh("in");
  const details = { type: "text", reply: null, profile_name: null, user_id: userId, forwarded: false };
  await store.database.run(storeInbound, {
    message: {
      id,
      account_id: accountId,
      gateway_id: gatewayId,
      channel,
      reference: fresh("wamid"),
      sender,
      recipient: "+1",
      body: "Hello",
      media: "[]",
      received_at: now + 100,
      consent_keyword: opt,
      details: JSON.stringify(details),
    },
    gatewayIdentifier: "main",
    replyTo: null,
    sentSince: 0,
    sentAt: now + 90,
    ...more,
  });
  const [row] = await store.query<InboundTable>("select * from inbound_messages where id = ?", id);
  assert.ok(row);
  return row;
}

const suppressed = async ({ store, accountId }: Sent) => {
  const rows = await store.query<SuppressionsTable>(
    "select * from suppressions where account_id = ? order by recipient",
    accountId,
  );
  return rows.map(({ recipient }) => recipient);
};

onBothEngines((open) => {
  const heard = ({ gatewayId }: Sent, sender: string) =>
    open().database.run(lastHeard, { gatewayId, sender });

  for (const [country, recipient, knownAs] of [
    ["Brazil", "+5511987650001", "+551187650001"],
    ["Mexico", "+525512345678", "+5215512345678"],
    ["Argentina", "+541123450003", "+5491123450003"],
    ["any other", "+4915123450004", "+4915123450099"],
    ["a hidden number", "+4915123450005", "27123@lid"],
  ] as const)
    test(`${country}: the answer of the provider shows by what name a person answers`, async () => {
      const sent = await sendTo(open(), recipient, { knownAs });
      await sent.accept();
      const { in_reply_to: answered, sender } = await receive(sent, knownAs, { opt: "out" });
      assert.deepEqual([answered, sender], [sent.id, knownAs]);
      assert.deepEqual(await suppressed(sent), [recipient, knownAs].sort());
      assert.equal(await heard(sent, recipient), now + 90);
    });

  test("what a person decided before the provider's answer showed their name holds from then on", async () => {
    const sent = await sendTo(open(), "+4915123450010", { knownAs: "+4915123450011" });
    await receive(sent, "+4915123450011", { opt: "out" });
    assert.deepEqual(await suppressed(sent), ["+4915123450011"]);
    await sent.accept();
    assert.deepEqual(await suppressed(sent), ["+4915123450010", "+4915123450011"]);
    assert.equal(await heard(sent, "+4915123450010"), now + 90);
  });

  test("a reply that quotes a message shows it, for the next messages too, and an opt-in takes the opt-out back", async () => {
    const sent = await sendTo(open(), "+4915123450020");
    await sent.accept();
    const replyTo = `ref-${sent.id}`;
    assert.equal((await receive(sent, "27124@lid", { replyTo })).in_reply_to, sent.id);
    assert.equal((await receive(sent, "27124@lid", { opt: "out" })).in_reply_to, sent.id);
    assert.deepEqual(await suppressed(sent), ["+4915123450020", "27124@lid"]);
    await receive(sent, "27124@lid", { opt: "in" });
    assert.deepEqual(await suppressed(sent), []);
  });

  test("a number and an id that came together are one person when one of them comes alone", async () => {
    const sent = await sendTo(open(), "+4915123450030");
    await sent.accept();
    await receive(sent, "+4915123450030", { userId: "27125@lid" });
    await receive(sent, "27125@lid", { opt: "out" });
    assert.deepEqual(await suppressed(sent), ["+4915123450030", "27125@lid"]);
  });

  test("a number that passes to another person keeps apart from the former one's id, in both directions", async () => {
    const sent = await sendTo(open(), "+4915123450031");
    const [number, former, latter] = ["+4915123450031", "27131@lid", "27132@lid"];
    await receive(sent, number, { userId: former });
    await receive(sent, number, { userId: latter });
    await receive(sent, former, { opt: "out" });
    assert.deepEqual(await suppressed(sent), [former], "the number is another person's now");
    await receive(sent, latter, { opt: "out" });
    assert.deepEqual(await suppressed(sent), [number, former, latter]);
  });

  test("an id that has another number leaves the former one, and takes an opt-out along", async () => {
    const sent = await sendTo(open(), "+4915123450032");
    const [former, present, id] = ["+4915123450032", "+4915123450033", "27133@lid"];
    await receive(sent, former, { userId: id });
    await receive(sent, id, { opt: "out" });
    await receive(sent, present, { userId: id });
    assert.deepEqual(await suppressed(sent), [former, present, id]);
    await receive(sent, former, { opt: "in" });
    await receive(sent, present, { userId: id, opt: "in" });
    assert.deepEqual(await suppressed(sent), []);
    await receive(sent, id, { opt: "out" });
    assert.deepEqual(await suppressed(sent), [present, id]);
    await receive(sent, former, { opt: "out" });
    await receive(sent, former, { opt: "in" });
    assert.deepEqual(await suppressed(sent), [present, id], "the former number does not speak for the id");
  });

  test("an id alone speaks for the spelling that its number was written to by", async () => {
    const sent = await sendTo(open(), "+4915123450034", { knownAs: "+4915123450035" });
    await sent.accept();
    await receive(sent, "+4915123450035", { userId: "27134@lid" });
    await receive(sent, "27134@lid", { opt: "out" });
    assert.deepEqual(await suppressed(sent), ["+4915123450034", "+4915123450035", "27134@lid"]);
  });

  test("a sender without a plus is the number that this gateway wrote to", async () => {
    const sent = await sendTo(open(), "+15123450040", { channel: "sms" });
    await sent.accept();
    const readings = ["+4915123450040", "+15123450040"];
    const { sender, in_reply_to: answered } = await receive(sent, "+4915123450040", {
      opt: "out",
      channel: "sms",
      readings,
    });
    assert.deepEqual([sender, answered, await suppressed(sent)], ["+15123450040", sent.id, ["+15123450040"]]);
    const other = await receive(sent, "15123450041", { channel: "sms", readings: ["+15123450041"] });
    assert.equal(other.sender, "15123450041", "it wrote to none of them");
  });

  test("a mail that answers from another address is no second name", async () => {
    const sent = await sendTo(open(), "jane@example.com");
    await sent.accept();
    await receive(sent, "boss@example.com", { channel: "email", replyTo: `ref-${sent.id}` });
    await receive(sent, "boss@example.com", { channel: "email", opt: "out" });
    assert.deepEqual(await suppressed(sent), ["boss@example.com"]);
  });

  test("another gateway's names say nothing, and names that were not shown for long are forgotten", async () => {
    const { database } = open();
    const sent = await sendTo(open(), "+4915123450050", { knownAs: "+4915123450051" });
    await sent.accept();
    const other = await sendTo(open(), "+4915123450050");
    await other.accept();
    assert.equal((await receive(other, "+4915123450051")).in_reply_to, null);
    const before = now + 10 - senderNameMs;
    await database.run(deleteSenderNames, { before, limit: 100 });
    assert.equal((await receive(sent, "+4915123450051")).in_reply_to, sent.id);
    await database.run(deleteSenderNames, { before: now + 11, limit: 100 });
    assert.equal((await receive(sent, "+4915123450051")).in_reply_to, null);
  });
});
