// Credit by hand, and the ledger: after every change of a balance, its entries add up to what is left.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { takes } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
before(async () => {
  m = await managed({ respond: takes });
});
after(() => m.close());

interface Entry {
  kind: string;
  reference: string;
  amount: number;
  remaining: number;
  note: string | null;
}

const grant = (id: string, body: object) => m.operator("POST", `/accounts/${id}/credit`, body);
const entries = async (id: string, query = "") =>
  dataOf<Entry[]>(await m.operator("GET", `/accounts/${id}/credit/entries?channel=sms${query}`));
const balance = async (id: string) =>
  dataOf<Record<string, { allowance: number; remaining: number } | null>>(
    await m.operator("GET", `/accounts/${id}/credit`),
  );

test("a grant adds to what is left, above the allowance too, and says why", async () => {
  const { id } = await m.it.account({ name: "granted", plan: { name: "p", credit: { sms: 10 } } });
  const entry = dataOf<Entry>(await grant(id, { channel: "sms", amount: 5, note: " sorry " }));
  assert.deepEqual([entry.kind, entry.amount, entry.remaining, entry.note], ["grant", 5, 15, "sorry"]);
  assert.deepEqual(await balance(id), { sms: { allowance: 10, remaining: 15 }, whatsapp: null, email: null });
  dataOf(await grant(id, { channel: "sms", amount: -15 }));
  assert.equal((await balance(id)).sms?.remaining, 0);
});

test("never below zero, never of a channel that is unlimited, never nothing", async () => {
  const { id } = await m.it.account({ name: "bounded", plan: { name: "p", credit: { sms: 3 } } });
  const tooMuch = await grant(id, { channel: "sms", amount: -4 });
  assert.equal(tooMuch.statusCode, 422);
  assert.match(tooMuch.json().errors.amount[0], /3/);
  assert.equal((await grant(id, { channel: "email", amount: 1 })).statusCode, 409);
  for (const amount of [0, 1.5, "7", null]) {
    assert.equal((await grant(id, { channel: "sms", amount })).statusCode, 422, String(amount));
  }
  assert.equal((await balance(id)).sms?.remaining, 3);
  assert.equal((await entries(id)).length, 1);
});

test("members read their credit and cannot make any", async () => {
  const { id } = await m.it.account({ name: "a member's", plan: { name: "p", credit: { sms: 3 } } });
  const member = await m.member(id);
  assert.equal(
    (await member("POST", `/accounts/${id}/credit`, { channel: "sms", amount: 1 })).statusCode,
    403,
  );
  assert.equal((await member("GET", `/accounts/${id}/credit`)).statusCode, 200);
  assert.equal((await member("GET", `/accounts/${id}/credit/entries?channel=sms`)).statusCode, 200);
});

test("the ledger is paged newest first, and every balance is its entries' sum", async () => {
  const { id } = await m.it.account({ name: "ledger", plan: { name: "p", credit: { sms: 20 } } });
  await m.it.gateway({
    identifier: "ledger",
    kind: "http-api",
    settings: { url: "https://provider.test/", body: { to: "{{to}}", text: "{{message}}", ref: "{{id}}" } },
  });
  await m.it.accepted([{ number: "+4915123456789", message: "x" }]);
  await m.it.advance(1);
  const [later] = await m.it.accepted([
    { number: "+4915123456789", message: "y", schedule_at: "2029-01-01 00:00:00" },
  ]);
  await m.it.advance(1);
  await m.it.post(`/api/cancel/sms/${later}`);
  await m.it.advance(1);
  dataOf(await grant(id, { channel: "sms", amount: 4 }));
  await m.it.advance(1);
  dataOf(await m.operator("PATCH", `/accounts/${id}`, { plan: { credit: { sms: 12 } } }));
  const all = await entries(id);
  assert.deepEqual(
    all.map(({ kind, amount }) => [kind, amount]),
    [
      ["allowance", -8],
      ["grant", 4],
      ["return", 1],
      ["reserve", -1],
      ["reserve", -1],
      ["opening", 20],
    ],
  );
  let sum = 0;
  for (const { amount, remaining } of all.toReversed()) {
    sum += amount;
    assert.equal(remaining, sum);
  }
  assert.equal((await balance(id)).sms?.remaining, sum);
  assert.equal(all[2]?.reference, later);
  const paged: Entry[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `/accounts/${id}/credit/entries?channel=sms&limit=2${cursor && `&cursor=${cursor}`}`;
    const reply = await m.operator("GET", path);
    paged.push(...dataOf<Entry[]>(reply));
    cursor = reply.json().next_cursor;
  }
  assert.deepEqual(paged, all);
  for (const query of ["?limit=2", "?channel=fax", "?channel=sms&cursor=x"]) {
    assert.equal((await m.operator("GET", `/accounts/${id}/credit/entries${query}`)).statusCode, 422, query);
  }
});
