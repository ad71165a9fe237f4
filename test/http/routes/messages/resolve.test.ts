// POST /api/resolve/{channel}/{id}

import assert from "node:assert/strict";
import test from "node:test";
import { recordReply } from "#contract/replies.ts";
import type { Resolved } from "#messaging/resolve.ts";
import { ask, edge, key, record } from "../../edge.ts";

const headers = { "api-key": key, "content-type": "application/json" };
const asked: unknown[] = [];
const resolve = (result: Resolved, body: unknown, url = "/api/resolve/sms/msg_1") =>
  ask(
    edge({
      parts: {
        resolve: async (account, channel, id, answer, by) => {
          asked.push([account.id, channel, id, answer, by]);
          return result;
        },
      },
    }),
    { url, headers, body: JSON.stringify(body) },
  );

test("each answer is handed on, and the message comes back as it is now", async () => {
  asked.length = 0;
  for (const [answer, message] of [
    ["send_again", "The message will be sent again."],
    ["mark_sent", "The message has been marked as sent."],
    ["mark_failed", "The message has been marked as failed."],
  ]) {
    const { status, json } = await resolve({ kind: "resolved", record }, { answer });
    assert.equal(status, 200);
    assert.deepEqual(recordReply.parse(json), json);
    assert.deepEqual(json, { success: true, message, data: record });
  }
  assert.deepEqual(asked, [
    ["acc_1", "sms", "msg_1", "send_again", "the account"],
    ["acc_1", "sms", "msg_1", "mark_sent", "the account"],
    ["acc_1", "sms", "msg_1", "mark_failed", "the account"],
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

test("no answer, or another one, is 422 and asks nobody", async () => {
  asked.length = 0;
  for (const [body, message] of [
    [{}, "The answer field is required."],
    [{ answer: "resend" }, "The selected answer is invalid."],
  ] as const) {
    const { status, json } = await resolve({ kind: "resolved", record }, body);
    assert.equal(status, 422);
    assert.deepEqual(json, { success: false, message: "Validation failed.", errors: { answer: [message] } });
  }
  assert.deepEqual(asked, []);
});

test("what is not there is 404; no key is 403", async () => {
  const body = { answer: "mark_sent" };
  assert.equal((await resolve({ kind: "not_found" }, body)).status, 404);
  for (const url of ["/api/resolve/fax/msg_1", "/api/resolve/sms/a%00"])
    assert.equal((await resolve({ kind: "resolved", record }, body, url)).status, 404, url);
  const without = await ask(edge(), { url: "/api/resolve/sms/msg_1", body: "{}" });
  assert.equal(without.status, 403);
});
