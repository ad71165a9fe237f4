// The short fault runs: real processes, `kill -9`, both engines. The long ones: `npm run test:faults`.

import assert from "node:assert/strict";
import test from "node:test";
import { share } from "../runner/share.ts";
import { engines } from "./installation.ts";
import { crashAt, describe, lostProcess, type Result, randomKills, rolledBack } from "./runs.ts";

// Another one every day would be seen by no one; the long runs take fresh seeds and print them.
const seed = 20261121;

function expectSound(t: { diagnostic(message: string): void }, result: Result): void {
  t.diagnostic(describe(result));
  const { violations } = result.verdict;
  assert.equal(
    violations.length,
    0,
    `${describe(result)}\n  ${[...violations.slice(0, 20), ...result.histories].join("\n  ")}`,
  );
}

/** One of each pair, the nastier one; the long runs take them all, each by itself. */
const points = {
  sqlite: [
    "accept.after",
    "stamp.after",
    "send.after",
    "settle.before",
    "receipt.after",
    "fan_out.after",
    "post.after",
  ],
  postgres: ["accept.after", "stamp.after", "settle.before", "receipt.after", "fan_out.after"],
} as const;

/** What a crash can break. A change of it plays every point. */
const about = ["src/messaging/", "src/phones/", "src/queue/", "src/store/", "src/webhooks/", "test/faults/"];

for (const engine of engines) {
  test(`${engine}: dies at named points`, async (t) => {
    expectSound(t, await crashAt(share(`crash points on ${engine}`, about, points[engine]), engine, seed));
  });

  test(`${engine}: dies at a random moment under load`, async (t) => {
    expectSound(t, await randomKills(engine, seed, 1));
  });
}

test("postgres: one of two processes dies and the other goes on with its work", async (t) => {
  expectSound(t, await lostProcess(seed, 1));
});

test("the control: a database that was put back is seen as lost and repeated messages, and in what was posted", async (t) => {
  const result = await rolledBack(seed);
  t.diagnostic(describe(result));
  assert.ok(result.verdict.lost.length > 0, "no loss seen");
  assert.ok(result.verdict.duplicates.length > 0, "no repeat seen");
  const seen = (line: RegExp) => result.verdict.violations.some((violation) => line.test(violation));
  assert.ok(seen(/^message\.\w+ told of msg_\w+, which is not stored$/), "no event of a lost message seen");
  assert.ok(seen(/^lost: inbound /), "no lost inbound message seen");
});
