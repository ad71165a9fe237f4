// What an account can make the installation hold is bounded: each bound is reached, and one more is a 422 that says so.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { maxGateways, maxNamedKeys, maxPoolKeys, maxSettingsBytes } from "#contract/limits.ts";
import { findNamedKey, saveNamedKey } from "#store/accounts/named-keys.ts";
import { findGatewayByIdentifier, saveGateway } from "#store/gateways/gateways.ts";
import { findPoolKey, savePoolKey } from "#store/pools/keys.ts";
import { type Ask, dataOf, type Managed, managed } from "../http/routes/manage/managed.ts";

let m: Managed;
let ask: Ask;
let base: string;
let pool: string;
let accountId: string;
before(async () => {
  m = await managed();
  const account = await m.it.account({ name: "acme" });
  ask = await m.member(account.id);
  accountId = account.id;
  base = `/accounts/${accountId}`;
  pool = dataOf<{ id: string }>(await ask("POST", `${base}/pools`, { name: "default" })).id;
});
after(() => m.close());

const sandbox = { channel: "sms", kind: "sandbox" };
const member = { name: "m", format: "openai", url: "https://api.example.com/v1", models: ["a"] };

/** Fills a table with copies of the row that the first request made. */
type Fill = (id: string, count: number) => Promise<unknown>;

const copies = <Row extends { id: string }>(
  row: Row | null,
  count: number,
  of: (row: Row, at: number) => object,
) => {
  assert.ok(row);
  return Array.from({ length: count }, (_, at): Row => ({ ...row, revision: 0, ...of(row, at) }));
};

const counted: readonly [
  what: string,
  max: number,
  path: () => string,
  body: (name: string) => object,
  fill: Fill,
][] = [
  [
    "gateways",
    maxGateways,
    () => "/gateways",
    (identifier) => ({ ...sandbox, identifier }),
    async (identifier, count) => {
      const { database } = m.it.system;
      const row = await database.run(findGatewayByIdentifier, identifier);
      const rows = copies(row, count, ({ id }, at) => ({ id: `${id}${at}`, identifier: `copy-${at}` }));
      return Promise.all(rows.map((copy) => database.run(saveGateway, copy)));
    },
  ],
  [
    "keys",
    maxNamedKeys,
    () => "/api-keys",
    (name) => ({ name, scopes: ["read"] }),
    async (id, count) => {
      const { database } = m.it.system;
      const row = await database.run(findNamedKey, { accountId, id });
      const rows = copies(row, count, (_, at) => ({ id: `${id}${at}`, name: `copy-${at}`, hash: `${at}` }));
      return Promise.all(rows.map((copy) => database.run(saveNamedKey, copy)));
    },
  ],
  [
    "keys",
    maxPoolKeys,
    () => `/pools/${pool}/keys`,
    (name) => ({ name }),
    async (id, count) => {
      const { database } = m.it.system;
      const row = await database.run(findPoolKey, { accountId, poolId: pool, id });
      const rows = copies(row, count, (_, at) => ({ id: `${id}${at}`, name: `copy-${at}`, hash: `${at}` }));
      return Promise.all(rows.map((copy) => database.run(savePoolKey, copy)));
    },
  ],
];

for (const [what, max, path, body, fill] of counted)
  test(`${max} ${what}, and not one more`, async () => {
    const first = await ask("POST", `${base}${path()}`, body("first"));
    assert.equal(first.statusCode, 201, first.body);
    const { data } = first.json();
    await fill(data.identifier ?? data.id, max - 2);
    assert.equal((await ask("POST", `${base}${path()}`, body("last"))).statusCode, 201);
    const reply = await ask("POST", `${base}${path()}`, body("beyond"));
    assert.equal(reply.statusCode, 422, reply.body);
    assert.match(reply.body, new RegExp(`is one too many: an? (account|pool) has ${max} ${what} at most`));
  });

test("settings are bounded in bytes, of a new one and of a changed one", async () => {
  const account = await m.it.account({ name: "long" });
  const by = await m.member(account.id);
  const of = (length: number) => ({
    channel: "sms",
    kind: "http-api",
    identifier: "long",
    settings: {
      url: "https://api.example.com/send",
      body: { to: "{{to}}", text: `{{message}}${"x".repeat(length)}` },
    },
  });
  const path = `/accounts/${account.id}/gateways`;
  const refused = await by("POST", path, of(maxSettingsBytes));
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /"settings".*takes more than 64 KiB as JSON/);
  assert.equal((await by("POST", path, of(maxSettingsBytes - 2_000))).statusCode, 201);
  const change = await by("PATCH", `${path}/long`, {
    settings: { body: { to: "{{to}}", text: "{{message}}", more: "y".repeat(maxSettingsBytes) } },
  });
  assert.equal(change.statusCode, 422, change.body);
  const at = `${base}/pools/${pool}/members`;
  const long = { ...member, settings: { headers: { "x-long": "z".repeat(maxSettingsBytes) } } };
  assert.equal((await ask("POST", at, long)).statusCode, 422);
});
