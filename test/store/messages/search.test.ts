// Searching messages: for every query, look after look finds exactly what a plain reading of all rows finds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Channel, channels, type Status } from "#contract/messages/channel.ts";
import { maxPageBodyBytes } from "#store/email/emails.ts";
import { storeSends } from "#store/messages/insert.ts";
import { findAccountGateway, type SearchInput, searchMessages } from "#store/messages/search.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { makeAccount, makeGateway, makeMessages, now, seeded, sendOf } from "../rows.ts";

interface Plain {
  id: string;
  channel: Channel;
  status: Status;
  gateway_id: string;
  recipient: string;
  created_at: number;
}

async function filled(store: Store) {
  const random = seeded(3);
  const accountId = await makeAccount(store.database);
  const otherAccount = await makeAccount(store.database);
  const gateways = { sms: ["", ""], whatsapp: [""], email: [""] };
  for (const channel of channels)
    for (let i = 0; i < gateways[channel].length; i++)
      gateways[channel][i] = await makeGateway(store.database, accountId, { channel });
  const foreign = await makeGateway(store.database, otherAccount);
  for (let i = 0; i < 120; i++) {
    const channel = channels[random(3)]!;
    const gatewayId = gateways[channel][random(gateways[channel].length)]!;
    const each = { recipient: `+1555000${random(4)}` };
    await store.database.run(storeSends, sendOf(accountId, gatewayId, { channel, at: now + i, each }));
    await store.database.run(storeSends, sendOf(otherAccount, foreign, { each }));
  }
  await store.query(
    "update messages set status = 'delivered', due_at = null where substr(id, -1) in ('1', '5', '7')",
  );
  await store.query("update messages set status = 'failed', due_at = null where substr(id, -1) = '3'");
  const rows = await store.query<Plain>(
    "select id, channel, status, gateway_id, recipient, created_at from messages where account_id = ? order by id desc",
    accountId,
  );
  return { accountId, gateways, foreign, rows };
}

/** Everything that fits, look by look. */
async function findAll(store: Store, input: SearchInput) {
  const ids: string[] = [];
  let bounds: Pick<SearchInput, "from" | "before"> | null = input;
  for (let looks = 0; bounds !== null; looks++) {
    assert.ok(looks < 1000, "a look that gets no further");
    const { from, before }: Pick<SearchInput, "from" | "before"> = bounds;
    const found: Awaited<ReturnType<typeof look>> = await look(store, { ...input, from, before });
    ids.push(...found.rows.map(({ id }) => id));
    const last = found.rows.length === input.limit ? ids.at(-1)! : found.lookedTo;
    if (last === null) bounds = null;
    else bounds = input.ascending ? { from: `${last}~`, before } : { from, before: last };
  }
  return ids;
}
const look = (store: Store, input: SearchInput) => store.database.run(searchMessages, input);

const everything = (accountId: string): SearchInput => ({
  accountId,
  channels,
  statuses: null,
  gatewayId: null,
  recipient: null,
  from: "msg_",
  before: "msg_~",
  acceptedFrom: null,
  acceptedBefore: null,
  limit: 7,
  maxScanned: 10,
  bytes: maxPageBodyBytes,
});

onBothEngines((open) => {
  test("any filters, any sizes: what is found is what a plain reading finds, in its order", async () => {
    const store = open();
    const { accountId, gateways, rows } = await filled(store);
    assert.equal(rows.length, 120);
    const random = seeded(11);
    const drawn = ["queued", "delivered", "failed", "unknown"] as const;
    for (let round = 0; round < 60; round++) {
      const channel = random(2) ? channels[random(3)]! : null;
      const first = random(4);
      const ofChannel = gateways[channel ?? "sms"];
      const input: SearchInput = {
        ...everything(accountId),
        channels: channel ? [channel] : channels,
        statuses: random(2) ? drawn.slice(first, first + 1 + random(3)) : null,
        gatewayId: null,
        recipient: random(3) ? null : `+1555000${random(5)}`,
        acceptedFrom: random(3) ? null : now + random(120),
        acceptedBefore: random(3) ? null : now + random(120),
        limit: 1 + random(20),
        maxScanned: 1 + random(40),
      };
      if (random(3) === 0) {
        input.gatewayId = ofChannel[random(ofChannel.length)]!;
        input.channels = [channel ?? "sms"];
      }
      if (random(3) === 0) input.ascending = true;
      if (random(4) === 0) input.from = rows[random(120)]!.id;
      if (random(4) === 0) input.before = rows[random(120)]!.id;
      const expected = rows.filter(
        (row) =>
          input.channels.includes(row.channel) &&
          (input.statuses?.includes(row.status) ?? true) &&
          (input.gatewayId === null || row.gateway_id === input.gatewayId) &&
          (input.recipient === null || row.recipient === input.recipient) &&
          row.id >= input.from &&
          row.id < input.before &&
          row.created_at >= (input.acceptedFrom ?? 0) &&
          row.created_at < (input.acceptedBefore ?? Number.MAX_SAFE_INTEGER),
      );
      if (input.ascending) expected.reverse();
      assert.deepEqual(
        await findAll(store, input),
        expected.map(({ id }) => id),
        JSON.stringify(input),
      );
    }
  });

  test("one look is bounded, and says where to go on", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 30 });
    const rare = {
      ...everything(accountId),
      gatewayId,
      channels: ["sms"] as const,
      statuses: ["delivered"] as const,
    };
    const found = await look(store, rare);
    assert.deepEqual([found.rows, found.lookedTo], [[], ids.at(-10)]);
    const last = await look(store, { ...rare, before: ids[5]! });
    assert.deepEqual([last.rows, last.lookedTo], [[], null]);
  });

  test("a look ends where the bodies of emails take up their room, and goes on there", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const sms = await makeGateway(store.database, accountId);
    const email = await makeGateway(store.database, accountId, { channel: "email" });
    const made: string[] = [];
    for (const [channel, body] of [
      ["email", "a".repeat(50)],
      ["sms", "b".repeat(500)],
      ["email", "ü".repeat(30)],
      ["email", "c".repeat(300)],
      ["sms", "d"],
    ] as const) {
      const send = sendOf(accountId, channel === "sms" ? sms : email, { channel, each: { body } });
      await store.database.run(storeSends, send);
      made.unshift(send.messages[0]!.id);
    }
    const asked = { ...everything(accountId), bytes: 109 };
    const of = async (before: string, bytes = 109) => {
      const found = await look(store, { ...asked, before, bytes });
      return [found.rows.map(({ id }) => made.indexOf(id)), found.lookedTo, found.bytesLeft];
    };
    assert.deepEqual(await of("msg_~"), [[0], made[0], 0]);
    assert.deepEqual(await of(made[0]!), [[1], made[1], 0]);
    assert.deepEqual(await of(made[1]!), [[2, 3], made[3], 0]);
    assert.deepEqual(await of(made[3]!), [[4], null, 59]);
    assert.deepEqual(await of(made[1]!, 110), [[2, 3, 4], null, 0]);
    assert.deepEqual(await findAll(store, asked), made);
    const whole = await look(store, everything(accountId));
    assert.deepEqual(
      whole.rows.map(({ body }) => body.length),
      [1, 300, 30, 500, 50],
    );
    assert.deepEqual(whole.lookedTo, null);
  });

  test("a gateway by its name; nothing of another account's", async () => {
    const store = open();
    const { accountId, gatewayId } = await makeMessages(store.database);
    const otherAccount = await makeAccount(store.database);
    const identifier = `identifier-${gatewayId}`;
    const gateway = await store.database.run(findAccountGateway, { accountId, identifier });
    assert.deepEqual(gateway, { id: gatewayId, channel: "sms" });
    assert.equal(await store.database.run(findAccountGateway, { accountId: otherAccount, identifier }), null);
    const foreign = { ...everything(otherAccount), gatewayId, channels: ["sms"] as const };
    assert.deepEqual(await findAll(store, foreign), [], "not even by a gateway's id");
  });
});
