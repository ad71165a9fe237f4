// Idempotency keys in storage: one set of messages a key, also of callers that race for it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findStoredRequest,
  idempotencyTtlMs,
  readRequestMessages,
} from "#store/messages/idempotency-keys.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { SendInput } from "#store/messages/send.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now, sendOf } from "../rows.ts";

const path = "/api/sms/send";
const repeat = (key: string, fingerprint = "same") => ({ path, key, fingerprint });

onBothEngines((open) => {
  const prepared = async (sms?: number) => {
    const { database } = open();
    const accountId = await makeAccount(database, sms === undefined ? {} : { sms });
    const gatewayId = await makeGateway(database, accountId);
    const send = (key: string, more: Partial<SendInput> = {}, count = 2) =>
      sendOf(accountId, gatewayId, { count, idempotencyKey: repeat(key), ...more });
    const messages = async () => {
      const text = "select id from messages where account_id = ? order by id";
      return (await open().query<{ id: string }>(text, accountId)).map(({ id }) => id);
    };
    return { accountId, send, messages };
  };
  const find = (accountId: string, key: string, at = now) =>
    open().database.run(findStoredRequest, { accountId, path, key, at });

  test("the second request under a key finds the first and stores nothing", async () => {
    const { accountId, send, messages } = await prepared();
    const first = send("k");
    assert.deepEqual(await open().database.run(storeSends, first), { kind: "stored" });
    const again = await open().other.run(storeSends, send("k", { idempotencyKey: repeat("k", "other") }));
    assert.ok(again.kind === "repeated");
    assert.equal(again.first.request_id, first.requestId);
    assert.equal(again.first.fingerprint, "same");
    assert.deepEqual(
      await messages(),
      first.messages.map(({ id }) => id),
    );
    const { fingerprint, ...request } = (await find(accountId, "k"))!;
    assert.equal(fingerprint, "same");
    const answered = await open().database.run(readRequestMessages, { accountId, request });
    assert.deepEqual(
      answered.map(({ id }) => id),
      first.messages.map(({ id }) => id),
    );
  });

  test("10,000 requests race for one key, from two processes: one set", async () => {
    const { send, messages } = await prepared();
    const sends = Array.from({ length: 10_000 }, () => send("race", {}, 1));
    const answers = await Promise.all(
      sends.map((one, i) => (i % 2 === 0 ? open().database : open().other).run(storeSends, one)),
    );
    const stored = answers.filter(({ kind }) => kind === "stored");
    assert.equal(stored.length, 1);
    const winner = sends[answers.findIndex(({ kind }) => kind === "stored")]!;
    assert.deepEqual(await messages(), [winner.messages[0]!.id]);
    for (const answer of answers)
      if (answer.kind === "repeated") assert.equal(answer.first.request_id, winner.requestId);
    assert.ok(answers.every(({ kind }) => kind !== "insufficient_credit"));
  });

  test("many keys at once from two processes, in opposite orders, meet without a deadlock", async () => {
    const { send, messages } = await prepared();
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    const one = keys.map((key) => open().database.run(storeSends, send(key, {}, 1)));
    const two = keys.toReversed().map((key) => open().other.run(storeSends, send(key, {}, 1)));
    const answers = await Promise.all([...one, ...two]);
    assert.equal(answers.filter(({ kind }) => kind === "stored").length, 200);
    assert.equal((await messages()).length, 200);
  });

  test("a key belongs to its account and path", async () => {
    const mine = await prepared();
    const other = await prepared();
    for (const send of [
      mine.send("k"),
      other.send("k"),
      mine.send("k", { idempotencyKey: { ...repeat("k"), path: "/api/email/send" } }),
    ])
      assert.deepEqual(await open().database.run(storeSends, send), { kind: "stored" });
  });

  test("a key is free again after 24 hours, and not a moment before", async () => {
    const { accountId, send } = await prepared();
    await open().database.run(storeSends, send("k"));
    assert.ok(await find(accountId, "k", now + idempotencyTtlMs - 1));
    const early = send("k", { at: now + idempotencyTtlMs - 1 });
    assert.equal((await open().database.run(storeSends, early)).kind, "repeated");
    assert.equal(await find(accountId, "k", now + idempotencyTtlMs), null);
    const later = send("k", { at: now + idempotencyTtlMs });
    assert.deepEqual(await open().database.run(storeSends, later), { kind: "stored" });
    assert.equal((await find(accountId, "k", now + idempotencyTtlMs))?.request_id, later.requestId);
  });

  test("a request that cannot pay leaves its key free", async () => {
    const { accountId, send, messages } = await prepared(3);
    const refused = await open().database.run(storeSends, send("k", {}, 4));
    assert.equal(refused.kind, "insufficient_credit");
    assert.equal(await find(accountId, "k"), null);
    assert.deepEqual(await open().database.run(storeSends, send("k", {}, 3)), { kind: "stored" });
    // A repeat costs nothing, so it is not refused for want of credit.
    assert.equal((await open().database.run(storeSends, send("k", {}, 3))).kind, "repeated");
    assert.equal((await messages()).length, 3);
  });

  test("an answer is read from its own request alone", async () => {
    const { accountId, send } = await prepared();
    const first = send("k", { requestId: fresh("req") });
    await open().database.run(storeSends, first);
    const request = {
      request_id: "req_other",
      first_id: first.messages[0]!.id,
      last_id: first.messages[1]!.id,
    };
    assert.deepEqual(await open().database.run(readRequestMessages, { accountId, request }), []);
  });
});
