// GET /api/received/{channel}

import assert from "node:assert/strict";
import test from "node:test";
import { type ReceivedRecord, receivedReply } from "#contract/messages/received/record.ts";
import { ask, edge, key, type Operations } from "../../edge.ts";

const id = (last: string) => `in_01k3j5m8q2x9v7n4c6b0d1f3g${last}`;

const record: ReceivedRecord = {
  id: id("1"),
  channel: "sms",
  from: "+4915123456789",
  to: "+15005550006",
  gateway_identifier: "sms-main",
  message: "Thanks",
  media: [],
  in_reply_to: "msg_1",
  opt: null,
  type: null,
  reply: null,
  profile_name: null,
  user_id: null,
  forwarded: null,
  received_at: "2026-03-01T09:30:00.000Z",
};
/** What the store has of the record. */
const row = {
  id: record.id,
  channel: "sms",
  sender: record.from,
  recipient: record.to,
  identifier: "sms-main",
  body: "Thanks",
  media: "[]",
  in_reply_to: "msg_1",
  consent_keyword: null,
  details: null,
  received_at: Date.parse(record.received_at),
};
const get = (url: string, recentInbound: Operations["recentInbound"] = () => []) =>
  ask(edge({ operations: { recentInbound } }), { method: "GET", url, headers: { "api-key": key } });

test("a page of the channel, as it was asked for", async () => {
  const asked: unknown[] = [];
  const { status, json } = await get(`/api/received/sms?limit=1&cursor=${id("2")}`, (input: object) => {
    asked.push(input);
    return [row, { ...row, id: id("0") }];
  });
  assert.equal(status, 200);
  assert.deepEqual(receivedReply.parse(json), json);
  assert.deepEqual(json, {
    success: true,
    message: "Messages found.",
    data: [record],
    next_cursor: record.id,
  });
  assert.deepEqual(asked, [{ accountId: "acc_1", channel: "sms", before: id("2"), limit: 2 }]);
});

test("a bad limit or cursor is 422, another channel 404", async () => {
  const bad = await get("/api/received/sms?limit=201");
  assert.deepEqual(
    [bad.status, bad.json],
    [
      422,
      {
        success: false,
        message: "Validation failed.",
        errors: { limit: ["The limit field must not be greater than 200."] },
      },
    ],
  );
  const odd = await get("/api/received/sms?cursor=in_0");
  assert.equal(odd.status, 422);
  for (const url of ["/api/received/fax", "/api/received/SMS", "/api/received"])
    assert.equal((await get(url)).status, 404, url);
});
