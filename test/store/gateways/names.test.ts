// The names of gateways: what was sent and received keeps them when the gateway is gone, and a name may be given anew.

import assert from "node:assert/strict";
import { test } from "node:test";
import { recentInbound, storeInbound } from "#store/feedback/inbound.ts";
import { deleteGateway } from "#store/gateways/delete.ts";
import { readGatewayNames } from "#store/gateways/names.ts";
import { findMessage, recentMessages } from "#store/messages/lookup.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { findAccountGateway, findReferenced } from "#store/messages/search.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, makeSending, now, settle } from "../rows.ts";

onBothEngines((open) => {
  test("a gateway that is gone is named by its messages, its received ones, its references and filters", async () => {
    const store = open();
    const { database } = store;
    const sent = await makeSending(store);
    const { accountId, gatewayId, id } = sent;
    await settle(store, sent, "accepted", { details: { reference: "ref-gone" } });
    const received = {
      id: fresh("in"),
      account_id: accountId,
      gateway_id: gatewayId,
      channel: "sms" as const,
      reference: fresh("SM"),
      sender: "+15550000",
      recipient: "+15559999",
      body: "Thanks",
      media: "[]",
      received_at: now,
      consent_keyword: null,
      details: null,
    };
    const incoming = { message: received, gatewayIdentifier: "main", replyTo: null, sentSince: now };
    assert.equal(await database.run(storeInbound, incoming), "new");
    const identifier = `identifier-${gatewayId}`;
    const input = { accountId, identifier, at: now, priorities: [0, 1, 2], countTo: 10 };
    assert.deepEqual(await database.run(deleteGateway, input), { kind: "deleted" });

    const found = await database.run(findMessage, { accountId, channel: null, id });
    assert.equal(found?.message.identifier, identifier);
    const page = { accountId, channel: "sms" as const, status: null, before: null, limit: 10 };
    assert.deepEqual(
      (await database.run(recentMessages, page)).rows.map((row) => row.identifier),
      [identifier],
    );
    const inbound = await database.run(recentInbound, { accountId, channel: null, before: null, limit: 10 });
    assert.deepEqual(
      inbound.map((row) => row.identifier),
      [identifier],
    );
    const reference = { accountId, reference: "ref-gone", limit: 10 };
    assert.deepEqual(await database.run(findReferenced, reference), [id]);
    assert.deepEqual(await database.run(findAccountGateway, { accountId, identifier }), {
      id: gatewayId,
      channel: "sms",
    });
    const other = await makeAccount(database);
    assert.equal(await database.run(findAccountGateway, { accountId: other, identifier }), null);

    const young = await makeGateway(database, accountId, { identifier });
    assert.deepEqual(await database.run(readGatewayNames, accountId), [
      [young, identifier, "http-api"],
      [gatewayId, identifier, "http-api"],
    ]);
    const filtered = await database.run(findAccountGateway, { accountId, identifier });
    assert.equal(filtered?.id, young, "the name is the new one's");
    assert.deepEqual(await database.run(readGatewayNames, other), []);
    const cancelled = { accountId, channel: null, id, details: { at: now, detail: "" } };
    assert.deepEqual(await database.run(cancelMessage, cancelled), { kind: "not_cancellable" });
  });
});
