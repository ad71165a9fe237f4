// GET /api/get/{channel}/{id?}

import assert from "node:assert/strict";
import test from "node:test";
import type { Status } from "#contract/messages/channel.ts";
import { messagesReply, recordReply } from "#contract/replies.ts";
import type { HttpParts } from "#http/parts.ts";
import { ask, edge, key, record } from "../../edge.ts";

const notFound = { success: false, message: "Not found.", code: "not_found" };
const get = (to: ReturnType<typeof edge>, url: string) =>
  ask(to, { method: "GET", url, headers: { "api-key": key } });

const mine: HttpParts["lookup"] = async (account, channel, id) =>
  account.id === "acc_1" && channel === "sms" && id === "msg_1"
    ? { ...record, events: [{ at: record.created_at, type: "queued", detail: null }] }
    : null;

test("one message, with its timeline", async () => {
  const { status, json } = await get(edge({ parts: { lookup: mine } }), "/api/get/sms/msg_1");
  assert.equal(status, 200);
  assert.deepEqual(recordReply.parse(json), json);
  assert.deepEqual((json as { data: unknown }).data, {
    ...record,
    events: [{ at: record.created_at, type: "queued", detail: null }],
  });
});

test("an unknown id, a foreign one, one of another channel, an unknown channel: the same 404", async () => {
  const urls = [
    "/api/get/sms/msg_2",
    "/api/get/whatsapp/msg_1",
    "/api/get/email/msg_1",
    "/api/get/fax/msg_1",
    "/api/get/fax",
    "/api/get/SMS",
    "/api/get/SMS/msg_1",
    "/api/get/sms%20",
    "/api/get/constructor",
    "/api/get/__proto__/msg_1",
  ];
  for (const url of urls) {
    const { status, json } = await get(edge({ parts: { lookup: mine } }), url);
    assert.equal(status, 404, url);
    assert.deepEqual(json, notFound, url);
  }
});

test("what cannot be an id is not looked up", async () => {
  const lookup = () => assert.fail("looked up");
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
      edge({ parts: { lookup } }),
      `/api/get/sms/${encodeURI(id).replaceAll("%25", "%")}`,
    );
    assert.equal(status, 404, id);
  }
});

type Query = { limit: number; cursor: string | null; status: Status | null };

function listing(): { parts: Partial<HttpParts>; asked: [channel: string, query: Query][] } {
  const asked: [string, Query][] = [];
  const parts: Partial<HttpParts> = {
    async recent(_account, channel, query) {
      asked.push([channel, query]);
      return query.cursor === "bad" ? null : { records: [record, record], nextCursor: "next" };
    },
  };
  return { parts, asked };
}

test("the most recent messages of a channel", async () => {
  const { parts, asked } = listing();
  const { status, json } = await get(edge({ parts }), "/api/get/sms");
  assert.equal(status, 200);
  assert.deepEqual(messagesReply.parse(json), json);
  assert.deepEqual(json, {
    success: true,
    message: "Messages found.",
    data: [record, record],
    next_cursor: "next",
  });
  assert.deepEqual(asked, [["sms", { limit: 50, cursor: null, status: null }]]);
});

test("with a slash at the end and no id, the list; and for every channel", async () => {
  for (const channel of ["sms", "whatsapp", "email"]) {
    const { parts, asked } = listing();
    assert.equal((await get(edge({ parts }), `/api/get/${channel}/`)).status, 200);
    assert.equal(asked[0]?.[0], channel);
  }
});

test("limit, cursor and status are handed on", async () => {
  const { parts, asked } = listing();
  await get(edge({ parts }), "/api/get/sms?limit=7&cursor=abc&status=delivered");
  assert.deepEqual(asked, [["sms", { limit: 7, cursor: "abc", status: "delivered" }]]);
});

test("the last page has no next one", async () => {
  const { json } = await get(edge(), "/api/get/sms");
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
    const { status, json } = await get(edge({ parts: listing().parts }), `/api/get/sms?${query}`);
    assert.equal(status, 422);
    assert.deepEqual(json, { success: false, message: "Validation failed.", errors });
  });
}

test("a cursor that cannot be ours is refused without being asked for", async () => {
  const recent = () => assert.fail("asked");
  for (const cursor of ["%00", "%ED%A0%80", "ü", "x".repeat(600)]) {
    const { status, json } = await get(edge({ parts: { recent } }), `/api/get/sms?cursor=a${cursor}b`);
    assert.equal(status, 422);
    assert.deepEqual((json as { errors: object }).errors, { cursor: ["The selected cursor is invalid."] });
  }
});
