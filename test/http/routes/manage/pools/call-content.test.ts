// What was asked and answered, through the management API: for whom, and why nothing is stored.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, callsOf, makePool, type PoolOf } from "../../../../ai/pooled.ts";
import { bearer, type Entry, manage, tokenFor } from "../../../managing.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

interface Content {
  status: string;
  request: { messages?: unknown; input?: unknown } | null;
  response: { choices: { message: { content: string } }[] } | null;
  missing: { request: number; response: number };
  redacted: string[];
  stored_at: string | null;
  deleted_at: string | null;
}

let m: Managed;
let of: PoolOf;
let path: string;
before(async () => {
  m = await managed();
  of = await makePool(m.it, { content_log: { redact: ["secret", "email"] } });
  path = `/accounts/${of.accountId}/pools/${of.poolId}`;
});
after(() => m.close());

const newest = async () => (await callsOf(m.it, of))[0]!.id;
const contentOf = async (id: string) =>
  dataOf<Content>(await m.operator("GET", `${path}/calls/${id}/content`));
const nothing = {
  request: null,
  response: null,
  missing: { request: 0, response: 0 },
  redacted: [],
  stored_at: null,
  deleted_at: null,
};

test("what was asked and answered, when it was stored, and until when it is kept", async () => {
  const messages = [{ role: "user", content: "write to ada@acme.test with sk-abcdefghij0123456789" }];
  assert.equal((await ask(m.it, { messages })).statusCode, 200);
  await m.it.advance(2_000);
  const id = await newest();
  const { request, response, stored_at: at, deleted_at: until, ...content } = await contentOf(id);
  assert.deepEqual(content, {
    call: id,
    status: "stored",
    missing: { request: 0, response: 0 },
    redacted: ["secret", "email"],
  });
  assert.deepEqual(request, {
    model: "echo",
    messages: [{ role: "user", content: "write to [email] with [secret]" }],
  });
  assert.equal(response?.choices[0]?.message.content, "write to [email] with [secret]");
  assert.equal(Date.parse(until!) - Date.parse(at!), 7 * 86_400_000);
});

test("the scope of prompts alone opens it; the other account and its token see no call", async () => {
  await ask(m.it);
  await m.it.advance(2_000);
  const id = await newest();
  const url = `${path}/calls/${id}/content`;
  const read = async (scopes: Parameters<typeof tokenFor>[2], account: string | null = of.accountId) =>
    await manage(m.it, "GET", url, { headers: bearer(await tokenFor(m.it, account, scopes)) });
  const refused = await read(["pools:read", "pools:write", "messages:read", "audit:read"]);
  assert.deepEqual(
    [refused.statusCode, refused.json().message],
    [403, "This token lacks the scope prompts:read."],
  );
  assert.equal((await read(["prompts:read"])).statusCode, 200);
  assert.equal((await read(null)).statusCode, 200);
  const other = await m.it.account({ name: "other" });
  assert.equal((await read(null, other.id)).statusCode, 404);
  const theirs = await makePool(m.it, { keys: [] }, other.id);
  for (const wrong of [
    `/accounts/${other.id}/pools/${theirs.poolId}/calls/${id}/content`,
    `/accounts/${of.accountId}/pools/${theirs.poolId}/calls/${id}/content`,
    `${path}/calls/req_${"0".repeat(26)}/content`,
    `${path}/calls/x/content`,
  ])
    assert.equal((await m.operator("GET", wrong)).statusCode, 404, wrong);
  const { key } = await m.it.account();
  assert.equal((await manage(m.it, "GET", url, { headers: bearer(key) })).statusCode, 401);
});

test("each look at a call's content is in the audit log, a refused one is not; the list of calls is no look", async () => {
  await ask(m.it);
  await m.it.advance(2_000);
  const id = await newest();
  const looks = async () => {
    const { data } = (
      await m.operator("GET", `/accounts/${of.accountId}/audit?action=getPoolCallContent`)
    ).json();
    return data as Entry[];
  };
  const before = (await looks()).length;
  await contentOf(id);
  const headers = bearer(await tokenFor(m.it, of.accountId, ["pools:read"]));
  assert.equal((await manage(m.it, "GET", `${path}/calls/${id}/content`, { headers })).statusCode, 403);
  const [entry, ...earlier] = await looks();
  assert.equal(earlier.length, before);
  assert.deepEqual(
    [entry?.actor.kind, entry?.account, entry?.target, entry?.fields, entry?.outcome],
    ["token", of.accountId, `${of.poolId}/${id}`, [], "200"],
  );
});

test("why nothing is stored: the call was not chosen, its time is over, or the pool keeps none", async () => {
  const change = async (content_log: object | null) => {
    const reply = await m.operator("PATCH", path, { content_log });
    assert.equal(reply.statusCode, 200, reply.body);
    await m.it.advance(4_000);
  };
  const called = async () => {
    await ask(m.it);
    await m.it.advance(2_000);
    return await newest();
  };
  await change({ sample: 0 });
  const passedOver = await called();
  assert.deepEqual(await contentOf(passedOver), { call: passedOver, status: "none", ...nothing });
  await change({ retention_days: 2 });
  const stored = await called();
  assert.equal((await contentOf(stored)).status, "stored");
  await m.it.advance(86_400_000);
  assert.equal((await contentOf(stored)).status, "stored");
  await change({ retention_days: 1 });
  assert.equal((await contentOf(stored)).status, "none");
  await change(null);
  assert.deepEqual(await contentOf(stored), { call: stored, status: "off", ...nothing });
});

test("a setting that makes no sense is refused by its field", async () => {
  for (const [log, field] of [
    [{ sample: 2 }, "content_log.sample"],
    [{ sample: -0.1 }, "content_log.sample"],
    [{ retention_days: 0 }, "content_log.retention_days"],
    [{ retention_days: 91 }, "content_log.retention_days"],
    [{ retention_days: 1.5 }, "content_log.retention_days"],
    [{ redact: ["iban"] }, "content_log.redact.0"],
    [{ redact: ["email", "email"] }, "content_log.redact"],
    [{ patterns: [".*"] }, "content_log.patterns"],
    [true, "content_log"],
  ] as const) {
    const reply = await m.operator("PATCH", path, { content_log: log });
    assert.deepEqual(
      [reply.statusCode, Object.keys(reply.json().errors)],
      [422, [field]],
      JSON.stringify(log),
    );
  }
});
