// The gateway put together: how members are doing is reported to who manages them, a key from elsewhere opens nothing,
// and a call over a process's end is written.

import assert from "node:assert/strict";
import test from "node:test";
import { ground, harness } from "../harness.ts";
import { listen, posts, says } from "../scenarios/receiver.ts";
import { ask, callsOf, keyText, makePool, outcomeOf, sandboxMember } from "./pooled.ts";

test("a stop writes the usage of the last second", async () => {
  const own = await ground("sqlite");
  const first = await harness({ ground: own });
  const of = await makePool(first);
  assert.equal(outcomeOf(await ask(first)), "200");
  assert.equal(outcomeOf(await ask(first, {}, `${keyText}x`)), "401 invalid_api_key");
  await first.close();
  const second = await harness({ ground: own });
  assert.equal((await callsOf(second, of)).length, 1);
  await second.close();
  await own.remove();
});

test("what calls cost is reckoned by the member's price, and a budget of cost ends them", async () => {
  const it = await harness();
  try {
    const members = [{ ...sandboxMember, price: { input: 1_000_000, output: 1_000_000 } }];
    const keys = [{ name: "app", key: keyText, budget: { cost_per_month: 1 } }];
    const of = await makePool(it, { members, keys });
    const first = await ask(it);
    assert.equal(outcomeOf(first), "200");
    assert.equal(outcomeOf(await ask(it)), "429 insufficient_quota");
    await it.advance(1_000);
    const [call] = await callsOf(it, of);
    assert.equal(call?.cost, first.json().usage.total_tokens * 1_000_000);
  } finally {
    await it.close();
  }
});

test("the keys of a pool share its budget, and those of an account's pools the account's; little left is an event", async () => {
  const it = await harness({ respond: () => says(204) });
  try {
    const other = "tlp_other6789abcdef0123456789abcdef";
    const keys = [
      { name: "app", key: keyText },
      { name: "other", key: other },
    ];
    const { accountId } = await makePool(it, { members: [sandboxMember], keys });
    await listen(it, accountId, { events: ["budget.*"] });
    const once = (await ask(it)).json().usage.total_tokens as number;
    await it.advance(1_000);
    const budget = { tokens_per_day: once + 1, low_percent: 90 };
    await makePool(it, { members: [sandboxMember], keys, budget }, accountId);
    assert.equal(outcomeOf(await ask(it, {}, other)), "200");
    assert.equal(outcomeOf(await ask(it, {}, other)), "429 insufficient_quota");
    await it.settle();
    const events = posts(it).map(({ type, data }) => ({ type, ...(data as object) }));
    assert.equal(events.length, 1);
    const { used, percent, ...rest } = events[0] as unknown as Record<string, unknown>;
    assert.equal(used, 2 * once);
    assert.equal(percent, Math.floor((200 * once) / (once + 1)));
    assert.deepEqual(rest, {
      type: "budget.low",
      scope: "pool",
      pool: "default",
      key: null,
      bound: "tokens_per_day",
      limit: once + 1,
      restarts_at: "2026-01-02T00:00:00.000Z",
    });
    await it.advance(24 * 3_600_000);
    assert.equal(outcomeOf(await ask(it)), "200");
    await it.account({ ai_budget: { tokens_per_month: 1 } });
    await it.advance(6_000);
    assert.equal(outcomeOf(await ask(it)), "429 insufficient_quota", "the account's month");
  } finally {
    await it.close();
  }
});

test("a call that is under way when its key's budget ends is finished", async () => {
  const it = await harness();
  try {
    const keys = [{ name: "app", key: keyText, budget: { tokens_per_day: 1 } }];
    await makePool(it, { members: [sandboxMember], keys });
    const slow = ask(it, { model: "slow" });
    await it.settle();
    assert.equal(outcomeOf(await ask(it)), "200");
    assert.equal(outcomeOf(await ask(it)), "429 insufficient_quota");
    await it.advance(3_000);
    assert.equal(outcomeOf(await slow), "200");
  } finally {
    await it.close();
  }
});
