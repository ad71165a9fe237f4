// Looking up what was sent.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messagesReply, recordReply } from "#contract/replies.ts";
import { unknownChannel } from "#http/path-params.ts";
import { type Harness, harness } from "../harness.ts";

let it: Harness;
let ids: string[] = [];
let mine: { id: string; key: string };

before(async () => {
  it = await harness();
  mine = await it.account();
  await it.gateway({ identifier: "box", default: true });
  for (let i = 0; i < 12; i++) {
    ids.push(
      ...(await it.accepted(
        Array.from({ length: 10 }, (_, j) => ({
          number: `+1555${1_000_000 + i * 1000 + j * 10}`,
          message: `Hi ${i}.${j}`,
        })),
      )),
    );
    await it.advance(1000);
  }
  ids = ids.toReversed();
});
after(() => it?.close());

test("without an id: the most recent sends, newest first, fifty by default", async () => {
  const reply = await it.get("/api/get/sms");
  assert.equal(reply.statusCode, 200);
  const page = messagesReply.parse(reply.json());
  assert.equal(page.success, true);
  assert.deepEqual(
    page.data.map(({ id }) => id),
    ids.slice(0, 50),
  );
  assert.equal(typeof page.next_cursor, "string");
  assert.equal(page.data[0]?.events, undefined);
});

test("pages lead through everything once, though new messages come in between", async () => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = messagesReply.parse(
      (await it.get(`/api/get/sms?limit=35${cursor ? `&cursor=${cursor}` : ""}`)).json(),
    );
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
    if (seen.length === 35) {
      const fresh = await it.accepted([{ number: "+15550000002", message: "new" }]);
      await it.settle();
      assert.equal((await it.message(fresh[0]!)).status, "undelivered");
    }
  } while (cursor !== null);
  assert.deepEqual(seen, ids);
});

test("by status", async () => {
  const page = messagesReply.parse((await it.get("/api/get/sms?status=undelivered")).json());
  assert.equal(page.data.length, 1);
  assert.equal(page.data[0]?.message, "new");
  assert.deepEqual(messagesReply.parse((await it.get("/api/get/sms?status=expired")).json()).data, []);
});

test("bad limits, cursors and statuses are 422 of the usual shape", async () => {
  for (const [query, field, text] of [
    ["limit=0", "limit", "The limit field must be at least 1."],
    ["limit=201", "limit", "The limit field must not be greater than 200."],
    ["limit=ten", "limit", "The limit field must be an integer."],
    ["cursor=nonsense", "cursor", "The selected cursor is invalid."],
    ["status=lost", "status", "The selected status is invalid."],
  ] as const) {
    const reply = await it.get(`/api/get/sms?${query}`);
    assert.equal(reply.statusCode, 422, query);
    assert.deepEqual(reply.json(), {
      success: false,
      message: "Validation failed.",
      errors: { [field]: [text] },
    });
  }
});

test("with an id: that record, with its timeline", async () => {
  const [id] = await it.accepted([{ number: "+15550000001", message: "Grüße" }]);
  await it.settle();
  const reply = await it.get(`/api/get/sms/${id}`);
  const { data } = recordReply.parse(reply.json());
  assert.equal(data.id, id);
  assert.equal(data.channel, "sms");
  assert.equal(data.gateway_identifier, "box");
  assert.equal(data.test, true);
  assert.equal(data.segments, 1);
  assert.equal(data.encoding, "gsm7");
  assert.equal(data.attempts, 1);
  assert.equal(data.error, null);
  assert.match(data.provider_reference ?? "", /^sbx_/);
  assert.deepEqual(
    data.events?.map(({ type }) => type),
    ["queued", "sending", "sent", "delivered"],
  );
  const at = data.events?.map((event) => event.at) ?? [];
  assert.deepEqual(at, [...at].sort());
});

test("an unknown id, a foreign one, another channel's and an unknown channel: the same 404", async () => {
  const id = ids[0]!;
  await it.account({ name: "stranger" });
  const foreign = await it.get(`/api/get/sms/${id}`);
  assert.deepEqual((await it.get("/api/get/sms")).json().data, []);
  it.as(mine);
  const replies = [
    foreign,
    await it.get("/api/get/sms/msg_01k3j5m8q2x9v7n4c6b0d1f3gh"),
    await it.get("/api/get/sms/nonsense"),
    await it.get(`/api/get/whatsapp/${id}`),
    await it.get(`/api/get/email/${id}`),
    await it.get(`/api/get/fax/${id}`),
    await it.get("/api/get/fax"),
  ];
  for (const [at, reply] of replies.entries()) {
    assert.equal(reply.statusCode, 404);
    const isChannel = at < replies.length - 2;
    const notFound = { success: false, message: "Not found.", code: "not_found" };
    assert.deepEqual(reply.json(), isChannel ? notFound : unknownChannel.body);
  }
});

test("the other channels' lists are there, and empty", async () => {
  for (const channel of ["whatsapp", "email"]) {
    const page = (await it.get(`/api/get/${channel}`)).json();
    assert.deepEqual([page.data, page.next_cursor], [[], null]);
  }
});
