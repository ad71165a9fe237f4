// A check of a member at a real provider on loopback: stored, changed and not stored yet; its secrets stay where they are.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { mask } from "#settings/secrets.ts";
import { createdBy, dataOf, type Managed, managed } from "../managed.ts";

interface Check {
  ok: boolean;
  models: string[] | null;
  reason: string | null;
}

let m: Managed;
let account: string;
let path: string;
let member: string;
let url: string;
const keys: unknown[] = [];

const server = createServer((request, response) => {
  const key = request.headers.authorization;
  keys.push(key);
  const isRight = key === "Bearer sk-right";
  const error = { message: `Incorrect key ${key}`, code: "invalid_api_key" };
  response
    .writeHead(isRight ? 200 : 401, { "content-type": "application/json" })
    .end(JSON.stringify(isRight ? { data: [{ id: "gpt-6" }] } : { error }));
});

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  m = await managed({ allow: "127.0.0.1" });
  ({ id: account } = await m.it.account());
  const pools = `/accounts/${account}/pools`;
  path = `${pools}/${(await createdBy<{ id: string }>(m.operator, pools, { name: "default" })).id}`;
  const settings = { base_url: url, api_key: "sk-right" };
  const one = { name: "one", kind: "openai-compatible", models: ["gpt-6"], settings };
  member = (await createdBy<{ id: string }>(m.operator, `${path}/members`, one)).id;
});
after(async () => {
  server.close();
  await m.close();
});

const check = (body: object) => m.operator("POST", `${path}/members/check`, body);
const issuesOf = async (body: object) => {
  const reply = await check(body);
  assert.equal(reply.statusCode, 422, reply.body);
  return Object.keys(reply.json().errors);
};

test("a stored member, with its stored secret, also where the form sends back its mask", async () => {
  for (const settings of [{}, { api_key: mask }, { api_key: mask, base_url: url }]) {
    const data = dataOf<Check>(await check({ member, settings }));
    assert.deepEqual([data.ok, data.models, data.reason], [true, ["gpt-6"], null]);
  }
});

test("a changed secret is asked with, stored nowhere, and masked in what the provider says of it", async () => {
  const reply = await check({ member, settings: { api_key: "sk-wrong" } });
  const { ok, reason } = dataOf<Check>(reply);
  assert.deepEqual([ok, keys.at(-1)], [false, "Bearer sk-wrong"]);
  assert.match(reason ?? "", /401: Incorrect key Bearer/);
  assert.ok(!reply.body.includes("sk-wrong"), reply.body);
  assert.equal(dataOf<Check>(await check({ member })).ok, true);
});

test("one that is not stored yet; a private address is refused before it is asked", async () => {
  const settings = { base_url: url, api_key: "sk-right" };
  assert.equal(dataOf<Check>(await check({ kind: "openai-compatible", settings })).ok, true);
  assert.equal(dataOf<Check>(await check({ kind: "sandbox" })).ok, true);
  const asked = keys.length;
  const inside = { base_url: "http://10.0.0.1/v1", api_key: "k" };
  assert.deepEqual(await issuesOf({ kind: "openai-compatible", settings: inside }), ["settings.base_url"]);
  assert.deepEqual(await issuesOf({ kind: "openai-compatible", settings: { api_key: mask } }), [
    "settings.api_key",
  ]);
  assert.deepEqual(await issuesOf({}), ["kind"]);
  assert.deepEqual(await issuesOf({ kind: "nothing" }), ["kind"]);
  assert.equal(keys.length, asked);
});

test("a stored secret goes to no other address", async () => {
  const settings = { base_url: "http://127.0.0.1:9/v1", api_key: mask };
  assert.deepEqual(await issuesOf({ member, settings }), ["settings.api_key"]);
  // Of another kind, nothing stored is used.
  assert.deepEqual(await issuesOf({ member, kind: "anthropic" }), ["settings.api_key"]);
});

test("another account's member is the same 404 as none; 30 a minute", async () => {
  const { id } = await m.it.account({ name: "theirs" });
  const theirs = await m.member(id);
  assert.equal((await theirs("POST", `${path}/members/check`, { member })).statusCode, 404);
  assert.equal((await check({ member: "mem_none" })).statusCode, 404);
  const ours = await m.member(account);
  const statuses: number[] = [];
  for (let at = 0; at < 31; at++)
    statuses.push((await ours("POST", `${path}/members/check`, { kind: "sandbox" })).statusCode);
  assert.deepEqual(statuses, [...Array(30).fill(200), 429]);
});
