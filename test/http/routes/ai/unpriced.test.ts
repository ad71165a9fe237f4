// Calls of models without a known price, from the client to the usage: whom budgets let be asked, what a refusal says in each API,
// and how such calls are counted.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bearer, manage, tokenFor } from "../../managing.ts";
import { openaiPeer, type Peer, says } from "../../openai-peer.ts";
import { memberOf, type Pooled, type PoolOptions, pooled } from "../../pooled.ts";

let peers: { dear: Peer; known: Peer };
let it: Pooled;
let headers: Record<string, string>;
before(async () => {
  peers = { dear: await openaiPeer(says("Unpriced.")), known: await openaiPeer(says("Priced.")) };
  it = await pooled({ members: [memberOf(peers.dear)] });
  headers = bearer(await tokenFor(it.it));
});
after(async () => {
  await it?.close();
  await Promise.all([peers.dear.close(), peers.known.close()]);
});

const messages = [{ role: "user", content: "Hello" }];
/** A unit for each token of an answer. */
const price = { input: 0, output: 1_000_000 };
const unpriced = () => memberOf(peers.dear, { name: "unpriced", models: ["rare-1"] });
const priced = () => memberOf(peers.known, { name: "priced", models: ["known-1"], priority: 2, price });
const bound = (choice: "refuse" | "allow" | null) => ({ cost_per_month: 1_000, unpriced: choice });

let pools = 0;
async function make(input: PoolOptions, budget: object = {}): Promise<string> {
  pools += 1;
  await it.pool({ name: `pool-${pools}`, keys: [{ name: "app", budget }], ...input } as PoolOptions);
  return `pool-${pools}`;
}

const asks = async () => await it.ask("/chat/completions", { body: { model: "any", messages } });
const servedIn = (json: object) => (json as { service_pool: { provider: string } }).service_pool;
const path = () => `/accounts/${it.accountId}`;
const read = async (of: string) => {
  const reply = await manage(it.it, "GET", `${path()}${of}`, { headers });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().data;
};
const poolId = async (name: string) =>
  (await read("/pools")).find((pool: { name: string }) => pool.name === name).id as string;

test("a budget of cost that refuses asks the members with a price alone, whosever it is", async () => {
  const both = () => [unpriced(), priced()];
  for (const [words, input, budget, expected] of [
    ["no budget", { members: both() }, {}, "unpriced"],
    ["a budget of tokens", { members: both() }, { tokens_per_day: 9_999, unpriced: "refuse" }, "unpriced"],
    ["allowed", { members: both() }, bound("allow"), "unpriced"],
    ["refused", { members: both() }, bound("refuse"), "priced"],
    ["nothing said of a new budget", { members: both() }, bound(null), "priced"],
    ["the pool's budget", { members: both(), budget: bound("refuse") }, {}, "priced"],
    ["the pool allows", { members: both(), budget: bound("allow") }, {}, "unpriced"],
    ["the key's is the stricter one", { members: both(), budget: bound("allow") }, bound("refuse"), "priced"],
    ["none is left", { members: [unpriced()] }, bound("refuse"), "this key"],
    ["none is left for the pool", { members: [unpriced()], budget: bound("refuse") }, {}, "the pool"],
  ] as const) {
    await make(input as PoolOptions, budget);
    const { status, json } = await asks();
    if (expected === "unpriced" || expected === "priced") {
      assert.deepEqual([status, servedIn(json).provider], [200, expected], words);
      continue;
    }
    assert.deepEqual(
      [status, json],
      [
        400,
        {
          error: {
            message: `The budget of ${expected} refuses models without a known price, and \`rare-1\` has none. Set its price in \`prices\` of the pool's member, or \`unpriced: allow\` in the budget.`,
            type: "invalid_request_error",
            param: "model",
            code: "unpriced_model",
          },
        },
      ],
      words,
    );
  }
  await make({ members: [unpriced()] });
  await it.it.account({ ai_budget: bound("refuse") });
  await it.it.advance(6_000);
  assert.match((await asks()).text, /The budget of the account refuses/);
  await it.it.account({ ai_budget: null });
  await it.it.advance(6_000);
  assert.equal((await asks()).status, 200);
});

test("the refusal has the form of each API, streamed or not, and models that are refused are not listed", async () => {
  await make({ members: [unpriced()] }, bound("refuse"));
  const contents = [{ parts: [{ text: "Hi" }] }];
  const asked = peers.dear.asked.length;
  for (const [url, body] of [
    ["/chat/completions", { messages, stream: true }],
    ["/responses", { input: "Hi" }],
    ["/responses", { input: "Hi", stream: true }],
    ["/messages", { max_tokens: 9, messages }],
    ["/messages", { max_tokens: 9, messages, stream: true }],
    ["beta/models/any:generateContent", { contents }],
    ["beta/models/any:streamGenerateContent", { contents }],
  ] as const) {
    const { status, json, text } = await it.ask(url, { body: { model: "any", ...body } });
    assert.equal(status, 400, `${url} ${text}`);
    const { error } = (Array.isArray(json) ? json[0] : json) as { error: { message: string } };
    assert.match(error.message, /^The budget of this key refuses models .* `rare-1` has none\./, url);
  }
  assert.equal(peers.dear.asked.length, asked, "no member was asked");
  const listed = async () =>
    ((await it.ask("/models")).json.data as unknown as { id: string }[]).map(({ id }) => id);
  assert.ok(!(await listed()).includes("rare-1"));
  await make({ members: [unpriced(), priced()] });
  assert.ok((await listed()).includes("rare-1"));
});

test("a call without a price is counted, and its cost is not known: alone, and among calls that have one", async () => {
  const name = await make({ members: [unpriced(), priced()] });
  const pool = await poolId(name);
  const headersOf = { "x-trunkline-tags": "team=checkout" };
  const call = async (model: string, stream = false) =>
    await it.ask("/chat/completions", {
      headers: headersOf,
      body: {
        model,
        messages,
        stream,
        stream_options: stream ? { include_usage: true } : undefined,
        user: "ada",
      },
    });
  const alone = await call("rare-1");
  await call("rare-1", true);
  assert.equal(alone.headers.get("x-service-pool-cost"), null);
  assert.ok(!("cost" in servedIn(alone.json)));
  await it.it.advance(1_000);
  const groupings = ["key", "member", "model", "user", "tag", "day", "hour"];
  const sums = async (by: string) =>
    (await read(`/pools/${pool}/usage?by=${by}`)).map((row: { cost: unknown; unpriced: number }) => [
      row.cost,
      row.unpriced,
    ]);
  for (const by of groupings) assert.deepEqual(await sums(by), [[null, 2]], by);
  const [one, two] = await read(`/pools/${pool}/calls`);
  assert.deepEqual([one.cost, one.price_source, two.cost], [null, null, null]);
  const key = async () => (await read(`/pools/${pool}/keys`))[0].spent;
  assert.deepEqual([(await key()).cost_this_month, (await key()).unpriced_this_month], [0, 2]);

  await call("known-1");
  await it.it.advance(1_000);
  for (const by of ["key", "user", "tag", "day", "hour"]) assert.deepEqual(await sums(by), [[3, 2]], by);
  for (const by of ["member", "model"])
    assert.deepEqual(
      (await sums(by)).toSorted(),
      [
        [3, 0],
        [null, 2],
      ].toSorted(),
      by,
    );
  const { data } = (await manage(it.it, "GET", `${path()}/pools/${pool}/stats`, { headers })).json();
  assert.deepEqual([data.total.cost, data.total.unpriced], [3, 2]);
  const ofAccount = (await read("/ai-usage?by=pool")).find((row: { name: string }) => row.name === name);
  assert.deepEqual([ofAccount.cost, ofAccount.unpriced], [3, 2]);
  const [newest] = await read(`/pools/${pool}/calls`);
  assert.deepEqual([newest.cost, newest.price_source], [3, "set"]);
  assert.deepEqual([(await key()).cost_this_month, (await key()).unpriced_this_month], [3, 2]);
});

test("a call that no member answered, and a free one, have a cost of 0 and are not unpriced", async () => {
  const free = { ...unpriced(), price: { input: 0, output: 0 } };
  const name = await make({ members: [free] });
  const pool = await poolId(name);
  assert.equal((await asks()).status, 200);
  const { key } = it;
  await make({ name, members: [{ ...unpriced(), active: false }] });
  it.key = key;
  await it.it.advance(6_000);
  assert.equal((await asks()).status, 503);
  await it.it.advance(1_000);
  const calls: { status: number; cost: unknown }[] = await read(`/pools/${pool}/calls`);
  assert.deepEqual(
    calls.map(({ status, cost }) => [status, cost]),
    [
      [503, 0],
      [200, 0],
    ],
  );
  const [sum] = await read(`/pools/${pool}/usage?by=day`);
  assert.deepEqual([sum.cost, sum.unpriced], [0, 0]);
});
