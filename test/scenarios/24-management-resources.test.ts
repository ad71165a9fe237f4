// An account's life through the management API alone: made, given a gateway, paused and resumed, its credit
// topped up, its messages found, its key renewed. What the provisioning file can do is done here without it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { someEngines } from "../harness.ts";
import { dataOf, managed } from "../http/routes/manage/managed.ts";
import { answer, providerSettings, readRequest, takes } from "./provider.ts";

interface Account {
  id: string;
  api_key: string;
}
interface Message {
  id: string;
  status: string;
}

for (const engine of someEngines(import.meta.filename)) {
  test(`an account from the first call to the last, on ${engine}`, async () => {
    const { it, operator, member, close } = await managed({ engine, respond: takes });
    const { id, api_key } = dataOf<Account>(
      await operator("POST", "/accounts", {
        name: "shop",
        time_zone: "Europe/Berlin",
        country: "DE",
        plan: { name: "starter", credit: { sms: 3 } },
      }),
    );
    it.as({ id, key: api_key });
    const shop = await member(id);
    const base = `/accounts/${id}`;
    const credit = async () =>
      dataOf<{ sms: { remaining: number } }>(await shop("GET", `${base}/credit`)).sms.remaining;
    const find = async (query: string) =>
      dataOf<Message[]>(await shop("GET", `${base}/messages?${query}`)).map((message) => message.id);

    // Without a gateway nothing is accepted; the member makes one, and tries it.
    assert.equal((await it.send([{ number: "0151 23456789", message: "hi" }])).statusCode, 422);
    const gateway = { identifier: "shop-sms", channel: "sms", kind: "http-api", default: true };
    dataOf(await shop("POST", `${base}/gateways`, { ...gateway, settings: providerSettings }));
    const tried = dataOf<Message>(
      await shop("POST", `${base}/gateways/shop-sms/test`, { to: "0151 23456789", message: "Testing." }),
    );
    await it.settle();
    assert.deepEqual(it.requests.map(readRequest), [
      { id: tried.id, to: "+4915123456789", text: "Testing." },
    ]);
    assert.equal(await credit(), 2);

    // Paused by hand: accepted, but nothing leaves; one of two is taken back, and its credit with it.
    dataOf(await shop("POST", `${base}/gateways/shop-sms/pause`));
    const [kept, dropped] = await it.accepted([
      { number: "+4915123456781", message: "kept" },
      { number: "+4915123456782", message: "dropped" },
    ]);
    await it.advance(3_600_000);
    assert.equal(it.requests.length, 1);
    assert.deepEqual(await find("status=queued"), [dropped, kept]);
    assert.equal((await it.send([{ number: "+4915123456783", message: "x" }])).statusCode, 402);
    assert.equal((await shop("POST", `${base}/messages/${dropped}/cancel`)).statusCode, 200);
    assert.equal(await credit(), 1);
    dataOf(await shop("POST", `${base}/gateways/shop-sms/resume`));
    await it.settle();
    assert.deepEqual(await find("status=sent"), [kept, tried.id]);
    assert.deepEqual(await find("recipient=0151%2023456782&gateway=shop-sms"), [dropped]);

    // More credit is the operator's to give, and the ledger tells it all.
    assert.equal((await shop("POST", `${base}/credit`, { channel: "sms", amount: 9 })).statusCode, 403);
    dataOf(await operator("POST", `${base}/credit`, { channel: "sms", amount: 9, note: "paid" }));
    dataOf(await operator("PATCH", base, { plan: { credit: { sms: 5 } } }));
    assert.equal(await credit(), 12);
    const ledger = dataOf<{ amount: number }[]>(await shop("GET", `${base}/credit/entries?channel=sms`));
    assert.equal(ledger.length, 6);
    assert.equal(
      ledger.reduce((sum, { amount }) => sum + amount, 0),
      12,
    );

    // Wrong credentials pause the gateway; the right ones, given by a change, start it again at once.
    it.respond((request) =>
      request.headers?.authorization === "Bearer right" ? takes(request) : answer(401),
    );
    const [stuck] = await it.accepted([{ number: "+4915123456784", message: "stuck" }]);
    await it.settle();
    const path = `${base}/gateways/shop-sms`;
    assert.equal(dataOf<{ state: string }>(await shop("GET", path)).state, "paused");
    const headers = { authorization: "Bearer right" };
    const mended = dataOf<{ state: string }>(await shop("PATCH", path, { settings: { headers } }));
    assert.equal(mended.state, "active");
    await it.advance(900_000);
    assert.equal((await it.message(stuck!)).status, "sent");

    // A new key; the old one is refused.
    const renewed = dataOf<Account>(await shop("POST", `${base}/api-key`));
    assert.equal((await it.get("/api/account")).statusCode, 403);
    it.as({ id, key: renewed.api_key });
    assert.equal((await it.get("/api/account")).statusCode, 200);
    await close();
  });
}
