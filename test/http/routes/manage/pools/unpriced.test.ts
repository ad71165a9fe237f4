// Budgets that refuse models without a known price, and members that have such models, in the replies of the management API.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bearer, manage, tokenFor } from "../../../managing.ts";
import { openaiPeer, type Peer } from "../../../openai-peer.ts";
import { memberOf, type Pooled, type PoolOptions, pooled } from "../../../pooled.ts";

const price = { input: 0, output: 1 };

let peer: Peer;
let it: Pooled;
let headers: Record<string, string>;
before(async () => {
  peer = await openaiPeer();
  it = await pooled({});
  headers = bearer(await tokenFor(it.it));
});
after(async () => {
  await it?.close();
  await peer.close();
});

const rare = () => memberOf(peer, { name: "unpriced", models: ["rare-1"] });
const known = () => memberOf(peer, { name: "priced", models: ["known-1"], price });

async function says(method: "GET" | "POST" | "PATCH", path: string, body?: object) {
  const asked = { headers, ...(body === undefined ? {} : { body }) };
  const reply = await manage(it.it, method, `/accounts/${it.accountId}${path}`, asked);
  assert.ok(reply.statusCode < 300, reply.body);
  return reply.json();
}

const refuses =
  "The budget refuses models without a known price (at present: rare-1). Set their prices at the member, or `unpriced: allow` in the budget.";

test("the reply to a change of a budget names the models that it refuses at the moment", async () => {
  await it.pool({ name: "default", members: [rare(), known()] });
  const pool = (await says("GET", "/pools")).data.find(({ name }: { name: string }) => name === "default");
  assert.deepEqual(
    pool.members.map((member: { unpriced_models: string[] }) => member.unpriced_models),
    [["rare-1"], []],
  );
  const ofPool = `/pools/${pool.id}`;
  const made = await says("POST", `${ofPool}/keys`, { name: "new", budget: { cost_per_month: 5 } });
  assert.equal(made.message, `The key has been created. ${refuses}`);
  assert.equal(made.data.budget.unpriced, "refuse");
  const ofKey = `${ofPool}/keys/${made.data.id}`;
  const budget = { cost_per_month: 5 };
  for (const [path, body, message] of [
    [ofKey, { models: null }, "The key has been updated."],
    [ofKey, { budget }, `The key has been updated. ${refuses}`],
    [ofKey, { budget: { unpriced: "allow" } }, "The key has been updated."],
    [ofKey, { budget: { cost_per_month: 7 } }, "The key has been updated."],
    [ofPool, { budget }, `The pool has been updated. ${refuses}`],
    [ofPool, { deadline_ms: 5_000 }, "The pool has been updated."],
    ["", { ai_budget: budget }, `The account has been updated. ${refuses}`],
    ["", { ai_budget: { ...budget, unpriced: "allow" } }, "The account has been updated."],
    ["", { ai_budget: budget }, "The account has been updated."],
    ["", { ai_budget: null }, "The account has been updated."],
  ] as const)
    assert.equal((await says("PATCH", path, body)).message, message, `${path} ${JSON.stringify(body)}`);
  await it.pool({ name: "default", members: [{ ...rare(), prices: { "rare-1": price } }] });
  const { message } = await says("PATCH", ofPool, { budget });
  assert.equal(
    message,
    "The pool has been updated. The budget refuses models without a known price; all models have one now.",
  );
});

test("of many models some are named, and the rest counted", async () => {
  const models = Array.from({ length: 12 }, (_, at) => `rare-${at}`);
  await it.pool({ name: "many", members: [memberOf(peer, { models })] });
  const pool = (await says("GET", "/pools")).data.find(({ name }: { name: string }) => name === "many");
  const { message } = await says("PATCH", `/pools/${pool.id}`, { budget: { cost_per_month: 5 } });
  assert.match(message, /, rare-9 and 2 more\)\. Set/);
});

test("a pool and a key of the provisioning file keep their choice until the file names another", async () => {
  const choices = async (name: string, unpriced: string | undefined) => {
    const budget = { cost_per_month: 5, ...(unpriced === undefined ? {} : { unpriced }) } as const;
    await it.pool({ name, members: [rare()], budget, keys: [{ name: "app", budget }] } as PoolOptions);
    const pool = (await says("GET", "/pools")).data.find((one: { name: string }) => one.name === name);
    const [key] = (await says("GET", `/pools/${pool.id}/keys`)).data;
    return [pool.budget.unpriced, key.budget.unpriced];
  };
  assert.deepEqual(await choices("fresh", undefined), ["refuse", "refuse"]);
  assert.deepEqual(await choices("fresh", "allow"), ["allow", "allow"]);
  assert.deepEqual(await choices("fresh", undefined), ["allow", "allow"]);
  assert.deepEqual(await choices("fresh", "refuse"), ["refuse", "refuse"]);
});
