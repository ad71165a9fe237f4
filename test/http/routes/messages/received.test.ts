// GET /api/received/{channel}

import assert from "node:assert/strict";
import test from "node:test";
import { type ReceivedRecord, receivedReply } from "#contract/messages/received.ts";
import type { HttpParts } from "#http/parts.ts";
import { ask, edge, key } from "../../edge.ts";

const record: ReceivedRecord = {
  id: "in_1",
  channel: "sms",
  from: "+4915123456789",
  to: "+15005550006",
  gateway_identifier: "sms-main",
  message: "Thanks",
  media: [],
  in_reply_to: "msg_1",
  opt: null,
  received_at: "2026-03-01T09:30:00.000Z",
};
const get = (url: string, received: HttpParts["received"]) =>
  ask(edge({ parts: { received } }), { method: "GET", url, headers: { "api-key": key } });

test("a page of the channel, as it was asked for", async () => {
  const asked: unknown[] = [];
  const { status, json } = await get(
    "/api/received/sms?limit=1&cursor=in_2",
    async (account, channel, query) => {
      asked.push([account.id, channel, query]);
      return { records: [record], nextCursor: "in_1" };
    },
  );
  assert.equal(status, 200);
  assert.deepEqual(receivedReply.parse(json), json);
  assert.deepEqual(json, { success: true, message: "Messages found.", data: [record], next_cursor: "in_1" });
  assert.deepEqual(asked, [["acc_1", "sms", { limit: 1, cursor: "in_2" }]]);
});

test("a bad limit or cursor is 422, another channel 404", async () => {
  const empty: HttpParts["received"] = async () => ({ records: [], nextCursor: null });
  const bad = await get("/api/received/sms?limit=201", empty);
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
  const odd = await get("/api/received/sms?cursor=in_0", async () => null);
  assert.equal(odd.status, 422);
  for (const url of ["/api/received/fax", "/api/received/SMS", "/api/received"])
    assert.equal((await get(url, empty)).status, 404, url);
});
