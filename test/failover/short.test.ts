// The failover bench with short timings: nothing fails, live streams pass all that a live stream can, and complete
// ones pass everything. The full timings: `npm run test:failover`.

import assert from "node:assert/strict";
import test from "node:test";
import { bench, onGround, printed } from "./bench.ts";
import { fast } from "./profile.ts";

/** What broke after the first word cannot be taken back from a live stream: a clean error is the best there is. */
const onlySafe: readonly string[] = ["S08", "S09", "S10", "S14"];

test("the sixteen scenarios, in both stream modes", async (t) => {
  const cards = await onGround(fast, (ground) =>
    Promise.all([bench(ground, "live"), bench(ground, "complete")]),
  );
  for (const card of cards) {
    t.diagnostic(printed(card));
    const verdicts = Object.fromEntries(card.rows.map(({ id, verdict }) => [id, verdict]));
    const expected = card.rows.map(({ id }) => [
      id,
      card.mode === "live" && onlySafe.includes(id) ? "safe" : "pass",
    ]);
    assert.equal(card.rows.length, 16);
    assert.deepEqual(verdicts, Object.fromEntries(expected), printed(card));
  }
});
