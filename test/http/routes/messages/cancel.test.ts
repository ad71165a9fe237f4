// POST /api/cancel/{channel}/{id}

import assert from "node:assert/strict";
import test from "node:test";
import { recordReply } from "#contract/replies.ts";
import type { Cancelled } from "#messaging/lookup.ts";
import { ask, edge, key, record } from "../../edge.ts";

const cancelled = { ...record, status: "cancelled" as const };
const cancel = (result: Cancelled, url = "/api/cancel/sms/msg_1", headers: Record<string, string> = {}) =>
  ask(edge({ parts: { cancel: async () => result } }), { url, headers: { "api-key": key, ...headers } });

test("a message that is cancelled comes back as it is now", async () => {
  const { status, json } = await cancel({ kind: "cancelled", record: cancelled });
  assert.equal(status, 200);
  assert.deepEqual(recordReply.parse(json), json);
  assert.deepEqual(json, { success: true, message: "The message has been cancelled.", data: cancelled });
});

test("a body is not needed, and does not matter", async () => {
  const to = edge({ parts: { cancel: async () => ({ kind: "cancelled", record: cancelled }) } });
  for (const [type, body] of [
    ["application/json", "not json"],
    ["text/plain", "x"],
  ]) {
    const headers = { "api-key": key, "content-type": type! };
    assert.equal((await ask(to, { url: "/api/cancel/sms/msg_1", headers, body: body! })).status, 200);
  }
});

test("a message that is on its way, or has ended, is not cancelled", async () => {
  const { status, json } = await cancel({ kind: "not_cancellable", status: "sending" });
  assert.equal(status, 409);
  assert.deepEqual(json, {
    success: false,
    message: "The message can no longer be cancelled: its status is sending.",
    code: "not_cancellable",
  });
});

test("what is not there is 404", async () => {
  assert.equal((await cancel({ kind: "not_found" })).status, 404);
  for (const url of [
    "/api/cancel/fax/msg_1",
    "/api/cancel/sms/a%00",
    "/api/cancel/sms",
    "/api/cancel/sms/a/b",
  ]) {
    assert.equal((await cancel({ kind: "cancelled", record }, url)).status, 404, url);
  }
});
