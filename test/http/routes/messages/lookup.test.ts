// GET /api/get/{channel}/{id?}

import assert from "node:assert/strict";
import test from "node:test";
import type { Status } from "#contract/messages/channel.ts";
import { messagesReply, recordReply } from "#contract/replies.ts";
import { unknownChannel } from "#http/path-params.ts";
import { ask, edge, key, type Operations, record, row } from "../../edge.ts";

const notFound = { success: false, message: "Not found.", code: "not_found" };
const get = (to: ReturnType<typeof edge>, url: string) =>
  ask(to, { method: "GET", url, headers: { "api-key": key } });

const created = { at: record.created_at, type: "queued", detail: null };
const mine: Operations = {
  findMessage: ({ accountId, channel, id }: { accountId: string; channel: string; id: string }) =>
    accountId === "acc_1" && channel === "sms" && id === record.id ? { message: row, events: [] } : null,
};

test("one message, with its timeline", async () => {
  const { status, json } = await get(edge({ operations: mine }), `/api/get/sms/${record.id}`);
  assert.equal(status, 200);
  assert.deepEqual(recordReply.parse(json), json);
  assert.deepEqual((json as { data: unknown }).data, {
    ...record,
    events: [created],
  });
});

test("an unknown id, a foreign one, one of another channel, an unknown channel: the same 404", async () => {
  const urls = [
    "/api/get/sms/msg_1",
    `/api/get/sms/${record.id.replace(/h$/, "j")}`,
    `/api/get/whatsapp/${record.id}`,
    `/api/get/email/${record.id}`,
    `/api/get/fax/${record.id}`,
    "/api/get/fax",
    "/api/get/SMS",
    `/api/get/SMS/${record.id}`,
    "/api/get/sms%20",
    "/api/get/constructor",
    `/api/get/__proto__/${record.id}`,
  ];
  for (const url of urls) {
    const { status, json } = await get(edge({ operations: mine }), url);
    assert.equal(status, 404, url);
    const isChannel = /^\/api\/get\/(?:sms|whatsapp|email)(?:\/|$)/.test(url);
    assert.deepEqual(json, isChannel ? notFound : unknownChannel.body, url);
  }
});

test("what cannot be an id is not looked up", async () => {
  const findMessage = () => assert.fail("looked up");
  const ids = [
    "%00",
    "msg_1%00",
    "' OR 1=1",
    "msg_1%27%3B--",
    "..%2f",
    "ü",
    "x".repeat(65),
    "msg.1",
    "%20msg_1",
  ];
  for (const id of ids) {
    const { status } = await get(
      edge({ operations: { findMessage } }),
      `/api/get/sms/${encodeURI(id).replaceAll("%25", "%")}`,
    );
    assert.equal(status, 404, id);
  }
});

type Query = { channel: string; limit: number; before: string | null; status: Status | null };

function listing(): { operations: Operations; asked: Query[] } {
  const asked: Query[] = [];
  const recentMessages = (query: Query) => {
    asked.push(query);
    return { rows: [row, row], more: true };
  };
  return { operations: { recentMessages }, asked };
}

test("the most recent messages of a channel", async () => {
  const { operations, asked } = listing();
  const { status, json } = await get(edge({ operations }), "/api/get/sms");
  assert.equal(status, 200);
  assert.deepEqual(messagesReply.parse(json), json);
  assert.deepEqual(json, {
    success: true,
    message: "Messages found.",
    data: [record, record],
    next_cursor: record.id,
  });
  assert.deepEqual(asked, [{ accountId: "acc_1", channel: "sms", limit: 50, before: null, status: null }]);
});

test("with a slash at the end and no id, the list; and for every channel", async () => {
  for (const channel of ["sms", "whatsapp", "email"]) {
    const { operations, asked } = listing();
    assert.equal((await get(edge({ operations }), `/api/get/${channel}/`)).status, 200);
    assert.equal(asked[0]?.channel, channel);
  }
});

test("limit, cursor and status are handed on", async () => {
  const { operations, asked } = listing();
  await get(edge({ operations }), `/api/get/sms?limit=7&cursor=${record.id}&status=delivered`);
  assert.deepEqual(asked, [
    { accountId: "acc_1", channel: "sms", limit: 7, before: record.id, status: "delivered" },
  ]);
});

test("the last page has no next one", async () => {
  const recentMessages = () => ({ rows: [], more: false });
  const { json } = await get(edge({ operations: { recentMessages } }), "/api/get/sms");
  assert.deepEqual(json, { success: true, message: "Messages found.", data: [], next_cursor: null });
});

const bad: [query: string, errors: Record<string, string[]>][] = [
  ["limit=0", { limit: ["The limit field must be at least 1."] }],
  ["limit=201", { limit: ["The limit field must not be greater than 200."] }],
  ["limit=x", { limit: ["The limit field must be an integer."] }],
  ["status=nope", { status: ["The selected status is invalid."] }],
  ["cursor=bad", { cursor: ["The selected cursor is invalid."] }],
  [
    "limit=x&status=nope",
    { limit: ["The limit field must be an integer."], status: ["The selected status is invalid."] },
  ],
];
for (const [query, errors] of bad) {
  test(`422 for ${query}`, async () => {
    const { status, json } = await get(edge({ operations: listing().operations }), `/api/get/sms?${query}`);
    assert.equal(status, 422);
    assert.deepEqual(json, { success: false, message: "Validation failed.", errors });
  });
}

test("a cursor that cannot be ours is refused without being asked for", async () => {
  const recentMessages = () => assert.fail("asked");
  for (const cursor of ["%00", "%ED%A0%80", "ü", "x".repeat(600)]) {
    const { status, json } = await get(
      edge({ operations: { recentMessages } }),
      `/api/get/sms?cursor=a${cursor}b`,
    );
    assert.equal(status, 422);
    assert.deepEqual((json as { errors: object }).errors, { cursor: ["The selected cursor is invalid."] });
  }
});
