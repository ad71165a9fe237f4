// The short run of submission under `kill -9`.

import assert from "node:assert/strict";
import test from "node:test";
import { killedSubmission } from "./submission.ts";

test("no 250 is lost and no mail is sent twice when the process is killed under twenty connections", async (t) => {
  const run = await killedSubmission(400, 2);
  t.diagnostic(JSON.stringify(run));
  assert.deepEqual([run.lost, run.twice], [[], []]);
  assert.ok(run.acknowledged >= 400 - 2 * 20, `${run.acknowledged} acknowledged`);
  assert.ok(run.undecided <= run.explained, `${run.undecided} undecided`);
});
