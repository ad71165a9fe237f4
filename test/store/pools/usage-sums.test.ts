// What calls add up to, beside their days (usage.test.ts).

import assert from "node:assert/strict";
import test from "node:test";
import { recordUsage } from "#store/pools/usage.ts";
import { readUsage } from "#store/pools/usage-groups.ts";
import { maxLabelsOfDay } from "#store/pools/usage-sums.ts";
import { onBothEngines } from "../conformance.ts";
import { callRow, makePool } from "../pool-rows.ts";

const from = "2027-01-01";
const to = "2027-12-31";
const day = "2027-01-15";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("a call that no member answered counts once, under the member that failed last", async () => {
    const of = await makePool(open().database);
    const attempt = (member: string, outcome: string) => ({
      member,
      model: "m",
      ms: 1,
      outcome,
      status: null,
    });
    const ended = (status: number, ...attempts: object[]) =>
      callRow(of, { status, member: null, model: null, attempts: JSON.stringify(attempts) });
    await run(recordUsage, [
      ended(502, attempt("a", "upstream_error"), attempt("b", "upstream_error")),
      ended(429, attempt("a", "rate_limited")),
      ended(499, attempt("a", "upstream_error"), attempt("b", "aborted")),
      ended(499, attempt("b", "aborted")),
      callRow(of, {
        member: "b",
        attempts: JSON.stringify([attempt("a", "upstream_error"), attempt("b", "ok")]),
      }),
    ]);
    const members = await run(readUsage, { ...of, from, to, by: "member" });
    assert.deepEqual(
      members.map(({ group, requests, errors }) => [group, requests, errors]),
      [
        ["", 1, 0],
        ["a", 2, 1],
        ["b", 2, 1],
      ],
    );
    const [whole] = await run(readUsage, { ...of, from, to, by: "day" });
    assert.equal(whole?.requests, 5);
  });

  test("labels beyond 2,000 in one write count together", async () => {
    const of = await makePool(open().database);
    const used = Array.from({ length: 2_010 }, (_, at) => callRow(of, { end_user: `user-${at}` }));
    await run(recordUsage, used);
    const users = await run(readUsage, { ...of, from, to, by: "user" });
    assert.equal(users.length, 1_000);
    assert.deepEqual([users[0]?.group, users[0]?.requests], ["", 10]);
  });

  test("beyond a day's bound new labels of a key count together, and known ones and other keys' on their own", async () => {
    const of = await makePool(open().database);
    const other = await makePool(open().database);
    await open().query(
      `insert into usage_labels (key_id, kind, day, label, account_id, pool_id, requests, errors, failed_over,
         prompt_tokens, completion_tokens, cost)
       select '${of.keyId}', 'user', '${day}', 'user-' || i, '${of.accountId}', '${of.poolId}', 1, 0, 0, 0, 0, 0
       from (with recursive n (i) as (select 1 union all select i + 1 from n where i < ${maxLabelsOfDay - 1}) select i from n) as numbers`,
    );
    const used = (end_user: string, whose = of) => callRow(whose, { at: 3_600_000, end_user });
    // One place is left.
    await run(recordUsage, [used("user-1"), used("user-1"), used("zoe"), used("ann", other)]);
    await run(recordUsage, [used("bob"), used("cid"), used("zoe"), used("user-1")]);
    const users = async (whose: typeof of) =>
      (await run(readUsage, { ...whose, from, to, by: "user" }))
        .filter(({ requests, group }) => requests > 1 || group === "ann")
        .map(({ group, requests }) => [group, requests]);
    assert.deepEqual(await users(of), [
      ["user-1", 4],
      ["", 2],
      ["zoe", 2],
    ]);
    assert.deepEqual(await users(other), [["ann", 1]]);
  });
});
