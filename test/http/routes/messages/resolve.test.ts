// POST /api/resolve/{channel}/{id}

import assert from "node:assert/strict";
import test from "node:test";
import { recordReply } from "#contract/replies.ts";
import { ask, edge, key, record, row } from "../../edge.ts";

const headers = { "api-key": key, "content-type": "application/json" };
const resolvePath = `/api/resolve/sms/${record.id}`;
const shown = { ...record, events: [{ at: record.created_at, type: "queued", detail: null }] };
const resolved = { kind: "resolved", channel: "sms", laneId: "gw_1" } as const;
const asked: unknown[] = [];

/** What the store answers; it remembers what it was asked. */
const resolve = (result: object, body: unknown, url = resolvePath) => {
  const resolveUnknown = ({ accountId, channel, id, details }: Parameters<typeof remember>[0]) => {
    remember({ accountId, channel, id, details });
    return result;
  };
  const operations = { resolveUnknown, findMessage: () => ({ message: row, events: [] }) };
  return ask(edge({ operations }), { url, headers, body: JSON.stringify(body) });
};

function remember(input: { accountId: string; channel: string; id: string; details: { detail: string } }) {
  asked.push([input.accountId, input.channel, input.id, input.details.detail]);
}

test("each answer is handed on, and the message comes back as it is now", async () => {
  asked.length = 0;
  for (const [answer, message] of [
    ["send_again", "The message will be sent again."],
    ["mark_sent", "The message has been marked as sent."],
    ["mark_failed", "The message has been marked as failed."],
  ]) {
    const { status, json } = await resolve(resolved, { answer });
    assert.equal(status, 200);
    assert.deepEqual(recordReply.parse(json), json);
    assert.deepEqual(json, { success: true, message, data: shown });
  }
  assert.deepEqual(asked, [
    ["acc_1", "sms", record.id, "Sent again by the account."],
    ["acc_1", "sms", record.id, "Marked as sent by the account."],
    ["acc_1", "sms", record.id, "Marked as failed by the account."],
  ]);
});

test("a known outcome is 409 and says which", async () => {
  const { status, json } = await resolve(
    { kind: "not_unknown", status: "delivered" },
    { answer: "mark_sent" },
  );
  assert.equal(status, 409);
  assert.deepEqual(json, {
    success: false,
    message: "The message's outcome is known: its status is delivered.",
    code: "not_unknown",
  });
});

test("a message whose gateway has been deleted is not sent again", async () => {
  const { status, json } = await resolve({ kind: "gateway_gone" }, { answer: "send_again" });
  const message = "Its gateway has been deleted, so it cannot be sent again.";
  assert.deepEqual([status, json], [409, { success: false, message, code: "conflict" }]);
});

test("no answer, or another one, is 422 and asks no one", async () => {
  asked.length = 0;
  for (const [body, message] of [
    [{}, "The answer field is required."],
    [{ answer: "resend" }, "The selected answer is invalid."],
  ] as const) {
    const { status, json } = await resolve(resolved, body);
    assert.equal(status, 422);
    assert.deepEqual(json, { success: false, message: "Validation failed.", errors: { answer: [message] } });
  }
  assert.deepEqual(asked, []);
});

test("what is not there is 404; no key is 403", async () => {
  const body = { answer: "mark_sent" };
  assert.equal((await resolve({ kind: "not_found" }, body)).status, 404);
  for (const url of [`/api/resolve/fax/${record.id}`, "/api/resolve/sms/a%00"])
    assert.equal((await resolve(resolved, body, url)).status, 404, url);
  const without = await ask(edge(), { url: "/api/resolve/sms/msg_1", body: "{}" });
  assert.equal(without.status, 403);
});
