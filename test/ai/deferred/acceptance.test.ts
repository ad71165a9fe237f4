// What a deferred completion needs to be accepted: a time within a year, and a request of the key's minute.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ground, someEngines } from "../../harness.ts";
import { keyText, makePool } from "../pooled.ts";
import { defer, events, hour, second, start } from "./story.ts";

test("a time more than a year ahead is refused, and nothing is stored", async () => {
  const { it } = await start();
  try {
    const scheduled = (time: string) => defer(it, "echo", { "x-trunkline-schedule-at": time });
    assert.equal((await scheduled("2027-01-01 00:00:00")).statusCode, 202);
    for (const time of ["2027-01-03 00:00:00", "9999-12-30 00:00:00"]) {
      const refused = await scheduled(time);
      const { code, param, message } = refused.json().error;
      assert.deepEqual([refused.statusCode, code, param], [400, "invalid_value", "X-Trunkline-Schedule-At"]);
      assert.match(message, /within a year/);
    }
  } finally {
    await it.close();
  }
});

for (const engine of someEngines(import.meta.filename))
  describe(`the key's limits on ${engine}`, () => {
    test("an acceptance is a request of the minute, and takes no slot", async () => {
      const own = await ground(engine);
      const { it, accountId } = await start({ ground: own });
      try {
        const limits = { requests_per_minute: 3, concurrency: 1 };
        await makePool(it, { keys: [{ name: "app", key: keyText, limits }] }, accountId);
        const later = { "x-trunkline-schedule-at": "2026-06-01 00:00:00" };
        for (const left of ["2", "1", "0"]) {
          const accepted = await defer(it, "echo", later);
          assert.deepEqual(
            [accepted.statusCode, accepted.headers["x-ratelimit-remaining-requests"]],
            [202, left],
          );
        }
        const refused = await defer(it, "echo", later);
        assert.deepEqual([refused.statusCode, refused.json().error.code], [429, "rate_limit_exceeded"]);
        assert.ok(Number(refused.headers["retry-after"]) >= 1);
        await it.advance(20_000);
        assert.equal((await defer(it, "echo", later)).statusCode, 202);
      } finally {
        await it.close();
        await own.remove();
      }
    });
  });

test("what a key left waiting is cancelled soon after its end, long before it is due", async () => {
  const { it, accountId } = await start();
  try {
    const expires_at = "2026-01-01T01:00:00.000Z";
    await makePool(it, { keys: [{ name: "app", key: keyText, expires_at }] }, accountId);
    const { id } = (await defer(it, "echo", { "x-trunkline-schedule-at": "2026-06-01 00:00:00" })).json();
    await it.advance(hour - second);
    assert.deepEqual(events(it), []);
    await it.advance(5 * 60 * second);
    const [{ data } = { data: {} }] = events(it);
    assert.deepEqual(data, {
      id,
      object: "deferred_completion",
      status: "cancelled",
      attempts: 0,
      error: "invalid_api_key",
    });
  } finally {
    await it.close();
  }
});
