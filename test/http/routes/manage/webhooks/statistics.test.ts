// What became of the deliveries of an account's endpoints, through the management API.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deliveryDueReply, webhookStatisticsReply } from "#contract/manage/webhooks.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

const hourMs = 3_600_000;

let m: Managed;
let status = 200;
let account: string;
let webhooks: string;
before(async () => {
  m = await managed({ respond: () => ({ kind: "answer", status, headers: {}, body: Buffer.from("") }) });
  account = (await m.it.account()).id;
  webhooks = `/accounts/${account}/webhooks`;
});
after(() => m.close());

const endpoint = async (name: string) => {
  const url = `https://receiver.example.com/${name}`;
  return dataOf<{ id: string }>(await m.operator("POST", webhooks, { url })).id;
};

/** A test event that is answered so, and what was counted of it a second later. */
async function post(id: string, answered: number): Promise<void> {
  status = answered;
  deliveryDueReply.parse((await m.operator("POST", `${webhooks}/${id}/test`)).json());
  await m.it.advance(2_000);
}

const stats = async (ask = m.operator) =>
  webhookStatisticsReply.parse((await ask("GET", `${webhooks}/stats`)).json()).data;

test("an account without deliveries has no series, for a day that begins with an hour", async () => {
  const { after: from, before: to, series } = await stats();
  assert.deepEqual(series, []);
  assert.equal(Date.parse(from) % hourMs, 0);
  assert.equal(Date.parse(to), m.it.clock.now() + 1);
  assert.ok(Date.parse(to) - Date.parse(from) < 25 * hourMs);
});

test("each endpoint has what it took, what failed and is tried again, and what was given up, by hour", async () => {
  const [good, bad] = [await endpoint("good"), await endpoint("bad")];
  await m.it.settle();
  // Well inside an hour: what the last try of this test is about belongs to it as well.
  await m.it.advance(hourMs - (m.it.clock.now() % hourMs) + 60_000);
  const first = new Date(m.it.clock.now() - (m.it.clock.now() % hourMs)).toISOString();
  await post(good, 204);
  await post(good, 200);
  await post(bad, 500);
  // The second try, after five seconds.
  await m.it.advance(10_000);
  await m.operator("PATCH", `${webhooks}/${bad}`, { active: false });
  await m.it.advance(2_000);
  await m.it.advance(hourMs);
  const second = new Date(m.it.clock.now() - (m.it.clock.now() % hourMs)).toISOString();
  await post(good, 200);
  const { series } = await stats();
  const of = (id: string) => series.find(({ webhook }) => webhook === id);
  assert.deepEqual(of(good), {
    webhook: good,
    total: { delivered: 3, failed_tries: 0, given_up: 0 },
    points: [
      { at: first, delivered: 2, failed_tries: 0, given_up: 0 },
      { at: second, delivered: 1, failed_tries: 0, given_up: 0 },
    ],
  });
  assert.deepEqual(of(bad), {
    webhook: bad,
    total: { delivered: 0, failed_tries: 2, given_up: 1 },
    points: [{ at: first, delivered: 0, failed_tries: 2, given_up: 1 }],
  });
  const { after: from, before: to } = await stats();
  const messages = await m.operator("GET", `/accounts/${account}/stats?after=${from}&before=${to}`);
  assert.deepEqual(dataOf<{ series: unknown[] }>(messages).series, [], "no message was counted");
});

test("it is the account's own alone, of the last day alone", async () => {
  const other = await m.it.account({ name: "other" });
  const neighbour = await m.member(other.id);
  assert.equal((await neighbour("GET", `${webhooks}/stats`)).statusCode, 404);
  assert.deepEqual(
    dataOf<{ series: unknown[] }>(await neighbour("GET", `/accounts/${other.id}/webhooks/stats`)).series,
    [],
  );
  assert.equal((await stats()).series.length, 2);
  await m.it.advance(26 * hourMs);
  assert.deepEqual((await stats()).series, []);
});
