// POST /api/cancel/{channel}/{id}

import assert from "node:assert/strict";
import test from "node:test";
import { recordReply } from "#contract/replies.ts";
import { ask, edge, key, type Operations, record, row } from "../../edge.ts";

const created = { at: record.created_at, type: "queued", detail: null };
const cancelled = { ...record, status: "cancelled" as const, waiting_for: null, events: [created] };
const url = `/api/cancel/sms/${record.id}`;

/** The store of one message that has this status; what it was asked. */
function storing(status: "cancelled" | "sending" | null) {
  const asked: unknown[] = [];
  const operations: Operations = {
    cancelMessage: (input: object) => {
      asked.push(input);
      if (status === null) return { kind: "not_found" };
      return { kind: status === "cancelled" ? "cancelled" : "not_cancellable" };
    },
    findMessage: () => (status === null ? null : { message: { ...row, status }, events: [] }),
  };
  return { operations, asked };
}

const cancel = (operations: Operations, at = url, headers: Record<string, string> = {}) =>
  ask(edge({ operations }), { url: at, headers: { "api-key": key, ...headers } });

test("a message that is cancelled comes back as it is now", async () => {
  const { operations, asked } = storing("cancelled");
  const { status, json } = await cancel(operations);
  assert.equal(status, 200);
  assert.deepEqual(recordReply.parse(json), json);
  assert.deepEqual(json, { success: true, message: "The message has been cancelled.", data: cancelled });
  const [{ details, ...named } = assert.fail()] = asked as { details: { detail: string } }[];
  assert.deepEqual(named, { accountId: "acc_1", channel: "sms", id: record.id });
  assert.equal(details.detail, "Cancelled through the API.");
});

test("a body is not needed, and does not matter", async () => {
  const to = edge(storing("cancelled"));
  for (const [type, body] of [
    ["application/json", "not json"],
    ["text/plain", "x"],
  ]) {
    const headers = { "api-key": key, "content-type": type! };
    assert.equal((await ask(to, { url, headers, body: body! })).status, 200);
  }
});

test("a message that is on its way, or has ended, is not cancelled", async () => {
  const { status, json } = await cancel(storing("sending").operations);
  assert.equal(status, 409);
  assert.deepEqual(json, {
    success: false,
    message: "The message can no longer be cancelled: its status is sending.",
    code: "not_cancellable",
  });
});

test("what is not there is 404", async () => {
  assert.equal((await cancel(storing(null).operations)).status, 404);
  const { operations, asked } = storing("cancelled");
  for (const other of [
    `/api/cancel/fax/${record.id}`,
    "/api/cancel/sms/msg_1",
    "/api/cancel/sms/a%00",
    "/api/cancel/sms",
    "/api/cancel/sms/a/b",
  ]) {
    assert.equal((await cancel(operations, other)).status, 404, other);
  }
  assert.deepEqual(asked, []);
});
