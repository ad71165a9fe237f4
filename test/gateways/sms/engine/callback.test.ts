// How callbacks of vendors are read: receipts, inbound messages, and words that no table lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf, receiveSms, type SmsCallback } from "#gateways/sms/engine/callback.ts";
import { forbidden, messageUrl, notConfigured } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { callbackUrl, toolsWith } from "../../conformance-samples.ts";

const tools = toolsWith();
const proved = { kind: "proved" as const, covers: "call" as const };
const definition: SmsCallback<unknown> = {
  proofs: [messageUrl, () => proved],
  items: "$.results",
  receipt: {
    when: ["$.type", "dlr"],
    reference: "$.id",
    id: "$.ours",
    status: "$.status",
    words: wordReader({ delivered: ["DELIVRD"], undelivered: ["UNDELIV"], ignored: ["QUEUED"] }),
    code: "$.code",
    reason: "$.why",
    at: "$.at",
  },
  inbound: {
    when: ["$.type", "mo"],
    id: "$.id",
    from: "$.from",
    to: "$.to",
    text: "$.text",
    withoutPlus: true,
  },
  reply: { contentType: "text/plain", body: "OK" },
};

function call(reports: unknown, url = callbackUrl) {
  return {
    method: "POST",
    url,
    query: new URL(url).searchParams,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify({ results: reports })),
  };
}

const receive = (reports: unknown, change: Partial<SmsCallback<unknown>> = {}, url?: string) =>
  receiveSms({ ...definition, ...change }, call(reports, url), {}, tools);

test("receipts, their errors only where something failed, and words that no table has", async () => {
  const received = await receive([
    { type: "dlr", id: "1", status: "DELIVRD", code: 0, why: "No Error", at: "2026-11-20T12:00:00Z" },
    { type: "dlr", ours: "msg_1", status: "UNDELIV", code: 34, why: "Absent" },
    { type: "dlr", id: "2", status: "QUEUED" },
    { type: "dlr", id: "3", status: "EATEN" },
    { type: "dlr", status: "DELIVRD" },
    { type: "price", id: "1" },
  ]);
  assert.deepEqual(received, {
    kind: "received",
    receipts: [
      { status: "delivered", reference: "1", at: Date.UTC(2026, 10, 20, 12) },
      { status: "undelivered", reference: null, messageId: "msg_1", reason: "Absent", code: "34" },
    ],
    inbound: [],
    unknownWords: ["EATEN"],
    reply: { contentType: "text/plain", body: "OK" },
  });
});

test("a URL of one message settles that message alone, and brings nothing else in", async () => {
  const url = tools.messageUrl("msg_1") ?? "";
  const received = await receive(
    [
      { type: "dlr", id: "1", status: "DELIVRD" },
      { type: "dlr", id: "2", ours: "msg_2", status: "DELIVRD" },
      { type: "mo", id: "3", from: "4915112345678", to: "1", text: "Hi" },
    ],
    {},
    url,
  );
  assert.ok(received.kind === "received");
  assert.deepEqual(received.receipts, [{ status: "delivered", reference: null, messageId: "msg_1" }]);
  assert.deepEqual(received.inbound, []);
});

test("a signed body at the URL of a message tells its reference too", async () => {
  const proofs = [() => ({ kind: "proved" as const, covers: "body" as const, messageId: "msg_1" })];
  const received = await receive([{ type: "dlr", id: "1", status: "DELIVRD" }], { proofs });
  assert.ok(received.kind === "received");
  assert.deepEqual(received.receipts, [{ status: "delivered", reference: "1", messageId: "msg_1" }]);
});

test("inbound messages: long numbers get their plus, and one without an id is known by its content", async () => {
  const mo = { type: "mo", from: "4915112345678", to: "12345", text: "Hi\0" };
  const received = await receive([{ ...mo, id: "7" }, mo, mo, { ...mo, from: "" }]);
  assert.ok(received.kind === "received");
  const [first, second, third, ...rest] = received.inbound;
  assert.deepEqual(first, { reference: "7", from: "+4915112345678", to: "12345", message: "Hi", media: [] });
  assert.equal(second?.reference, third?.reference);
  assert.match(second?.reference ?? "", /^[\w-]{43}$/);
  assert.deepEqual(rest, []);
});

test("what cannot be read is malformed, and an empty list is a probe", async () => {
  assert.equal((await receive([{ id: "1" }])).kind, "malformed");
  assert.equal((await receive("text")).kind, "malformed");
  assert.equal((await receive([])).kind, "received");
  const put = { ...call([]), method: "PUT" };
  assert.equal((await receiveSms(definition, put, {}, tools)).kind, "malformed");
});

test("any proof is enough; of several refusals the answer is the one that can be repaired", async () => {
  const missing = () => notConfigured("signing key");
  const wrong = () => forbidden("Wrong.");
  assert.equal((await receive([], { proofs: [wrong, () => proved] })).kind, "received");
  assert.equal((await receive([], { proofs: [wrong, missing] })).kind, "not_configured");
  assert.equal((await receive([], { proofs: [missing, wrong] })).kind, "not_configured");
  assert.equal((await receive([], { proofs: [wrong] })).kind, "forbidden");
  assert.equal((await receive([], { proofs: [] })).kind, "not_taken");
});

test("what a proof vouches for is read, and not the body", async () => {
  const document = { results: [{ type: "dlr", id: "9", status: "DELIVRD" }] };
  const received = await receive([{ type: "dlr", id: "1", status: "DELIVRD" }], {
    proofs: [() => ({ kind: "proved", document })],
  });
  assert.ok(received.kind === "received");
  assert.deepEqual(received.receipts, [{ status: "delivered", reference: "9" }]);
});

test("of a call whose body alone is proved nothing but the body is read", async () => {
  const forged = `${callbackUrl}?type=dlr&id=2&status=DELIVRD`;
  const proofs = [() => ({ kind: "proved" as const, covers: "body" as const })];
  const genuine = call([{ type: "dlr", id: "1", status: "UNDELIV" }], forged);
  for (const method of ["GET", "POST"]) {
    const received = await receiveSms({ ...definition, proofs }, { ...genuine, method }, {}, tools);
    assert.ok(received.kind === "received");
    assert.deepEqual(received.receipts, [{ status: "undelivered", reference: "1" }], method);
    const bare = { ...genuine, method, body: Buffer.alloc(0) };
    assert.equal((await receiveSms({ ...definition, proofs }, bare, {}, tools)).kind, "malformed", method);
  }
});

test("JSON by its look, forms, and the query of a GET", () => {
  const { headers: _, ...get } = call([], `${callbackUrl}?id=1&id=2`);
  assert.deepEqual(
    { ...(documentOf({ ...get, method: "GET", headers: {} }, "call") as object) },
    { id: "1" },
  );
  assert.deepEqual(
    { ...(documentOf({ ...get, headers: {}, body: Buffer.from("a=1&b=%C3%BC") }, "call") as object) },
    {
      a: "1",
      b: "ü",
    },
  );
  assert.deepEqual(documentOf({ ...get, headers: {}, body: Buffer.from('{"a":1}') }, "call"), { a: "1" });
});
