// How the latest requests to the members of a pool ended, on both engines.

import assert from "node:assert/strict";
import test from "node:test";
import { readMemberOutcomes } from "#store/pools/member-outcomes.ts";
import { recordUsage } from "#store/pools/usage.ts";
import { onBothEngines } from "../conformance.ts";
import { callRow, makePool, type Pooled } from "../pool-rows.ts";

const at = Date.parse("2027-01-15T10:20:00Z");
const tried = (member: string, outcome: string, status: number | null = null, started_ms = 0) => ({
  member,
  model: "m",
  started_ms,
  ms: 10,
  outcome,
  status,
});

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  let made = 0;
  const call = (of: Pooled, minute: number, ...attempts: ReturnType<typeof tried>[]) => {
    made += 1;
    const id = `req_${String(made).padStart(6, "0")}`;
    return callRow(of, { id, at: at + minute * 60_000, attempts: JSON.stringify(attempts) });
  };
  const read = async (of: Pooled, limit = 100, since = at) =>
    await run(readMemberOutcomes, { poolId: of.poolId, since, limit });

  test("each member is counted by what was sent to it, also if another one answered", async () => {
    const of = await makePool(open().database);
    const other = await makePool(open().database);
    const calls = [
      call(of, -1, tried("dead", "ok", 200)),
      call(of, 0, tried("dead", "upstream_error", 503), tried("alive", "ok", 200, 20)),
      call(of, 1, tried("dead", "pretended_down"), tried("alive", "invalid_request", 400)),
      call(of, 2, tried("dead", "upstream_error"), tried("dead", "rate_limited", 429, 20)),
      call(of, 3, tried("alive", "aborted")),
      call(other, 3, tried("alive", "upstream_error", 500)),
    ];
    await run(recordUsage, calls);
    const { since, members } = await read(of);
    assert.equal(since, at);
    assert.deepEqual(
      members.toSorted((a, b) => (a.member < b.member ? -1 : 1)),
      [
        { member: "alive", asked: 3, failed: 0, answeredAt: at + 30, failure: null },
        {
          member: "dead",
          asked: 3,
          failed: 3,
          answeredAt: at - 60_000 + 10,
          failure: {
            call: calls[3]?.id,
            at: at + 120_000 + 30,
            outcome: "rate_limited",
            status: 429,
          },
        },
      ],
    );
  });

  test("the calls that are read are bounded, and the counts say from when on they are", async () => {
    const of = await makePool(open().database);
    await run(
      recordUsage,
      Array.from({ length: 5 }, (_, minute) => call(of, minute, tried("one", "ok", 200))),
    );
    const bounded = await read(of, 3);
    assert.deepEqual([bounded.since, bounded.members[0]?.asked], [at + 120_000, 3]);
    const later = await read(of, 5, at + 180_000);
    assert.deepEqual([later.since, later.members[0]?.asked], [at + 180_000, 2]);
    assert.deepEqual(await read(await makePool(open().database)), { since: at, members: [] });
  });
});
