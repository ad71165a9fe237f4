// The process that hands events to webhook endpoints dies: every event is posted all the same, under the id it had.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { engines, ground, type Harness, type HarnessOptions, harness } from "../harness.ts";
import { listen, posts, says } from "./receiver.ts";

const contact = { number: "+4915112345670", message: "Hi" };
const contacts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...contact, number: `+49151123${15_000 + i}` }));

for (const engine of engines) {
  describe(`a crash on ${engine}`, () => {
    /** One life of the installation after another, on one database and one clock. */
    async function lives(tell: (live: (options?: HarnessOptions) => Promise<Harness>) => Promise<void>) {
      const own = await ground(engine);
      const clock = movableClock();
      const started: Harness[] = [];
      const settings = { heartbeatMs: 5000, takeoverMs: 45_000, pollMs: 60_000 };
      let account: { id: string; key: string } | null = null;
      try {
        await tell(async (options = {}) => {
          const it = await harness({ ground: own, clock, settings, respond: () => says(200), ...options });
          started.push(it);
          if (account === null) {
            account = await it.account();
            await it.gateway({ identifier: "main", default: true });
            await listen(it, account.id, { events: ["message.queued"] });
          }
          it.as(account);
          return it;
        });
      } finally {
        for (const it of started.toReversed()) await it.close();
        await own.remove();
      }
    }

    for (const [dieAt, before] of [
      ["fan_out.before", 0],
      ["fan_out.after", 0],
      ["post.before", 0],
      ["post.after", 1],
    ] as const) {
      test(`at ${dieAt}: every event is posted, under the id it had`, () =>
        lives(async (live) => {
          const one = await live({ dieAt });
          const ids = await one.accepted(contacts(20));
          await one.settle();
          assert.ok(one.dead());
          assert.ok(posts(one).length >= before);
          await one.kill();
          const two = await live();
          await two.advance(120_000);
          const received = [...posts(one), ...posts(two)];
          const events = new Map(received.map(({ id, data }) => [id, data.id]));
          assert.deepEqual([...events.values()].sort(), ids);
          // What was posted and not yet settled is posted again; nothing else is.
          assert.equal(received.length, ids.length + posts(one).length);
        }));
    }

    test("between two pages of a large request: the next process goes on with the second", () =>
      lives(async (live) => {
        const one = await live({ dieAt: "fan_out.after" });
        const ids = await one.accepted(contacts(1100));
        await one.settle();
        assert.ok(one.dead());
        await one.kill();
        const two = await live();
        await two.advance(120_000);
        assert.deepEqual(
          posts(two)
            .map(({ data }) => data.id)
            .sort(),
          ids,
        );
      }));

    if (engine === "sqlite") return;
    test("of two processes one drives the lanes; when it dies, the other takes them and loses nothing", () =>
      lives(async (live) => {
        const [one, two] = [await live(), await live()];
        const before = await two.accepted(contacts(5));
        await two.advance(70_000);
        await one.kill();
        const after = await two.accepted(contacts(5));
        await two.advance(120_000);
        const eventIds = [...posts(one), ...posts(two)].map(({ data }) => data.id);
        assert.deepEqual(eventIds.sort(), [...before, ...after].sort());
      }));
  });
}
