// The process dies: what was accepted is there afterwards, and only what was on the wire is in doubt.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deleteGateway } from "#configure/gateway-actions.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { engines, ground, type Harness, type HarnessOptions, harness } from "../harness.ts";
import { asked, provider, report, stored, story, takes } from "./provider.ts";

const contacts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ number: `+49151234${10_000 + i}`, message: "Hi" }));
const settings = { heartbeatMs: 5000, takeoverMs: 45_000, pollMs: 60_000 };

/** One life of the installation after another, on one database and one clock. */
async function lives(
  engine: (typeof engines)[number],
  on_unknown: "hold" | "resend" | null,
  story: (live: (options?: HarnessOptions) => Promise<Harness>) => Promise<void>,
) {
  const own = await ground(engine);
  const clock = movableClock();
  const started: Harness[] = [];
  let account: { id: string; key: string } | null = null;
  try {
    await story(async (options = {}) => {
      const it = await harness({ ground: own, clock, respond: takes, settings, ...options });
      started.push(it);
      if (account === null) {
        account = await it.account();
        await it.gateway({ identifier: "main", ...provider, on_unknown });
      }
      it.as(account);
      return it;
    });
  } finally {
    for (const it of started.toReversed()) await it.close();
    await own.remove();
  }
}

for (const engine of engines) {
  describe(`a crash on ${engine}`, () => {
    test("after acceptance, before anything was stamped: everything leaves once", () =>
      lives(engine, null, async (live) => {
        const one = await live({ started: false });
        const ids = await one.accepted(contacts(20));
        await one.kill();
        const two = await live();
        await two.advance(60_000);
        assert.deepEqual(
          asked(two)
            .map(({ id }) => id)
            .sort(),
          [...ids].sort(),
        );
        for (const id of ids) assert.equal((await two.message(id)).status, "sent");
      }));

    test("on the wire, and its gateway is switched off before anything drives it again: it is in doubt, not forgotten", () =>
      lives(engine, null, async (live) => {
        const one = await live({ respond: () => new Promise(() => {}) });
        const [id] = await one.accepted(contacts(1));
        await one.settle();
        assert.equal((await one.message(id!)).status, "sending");
        await one.kill();
        const two = await live({ started: false });
        await two.gateway({ identifier: "main", ...provider, active: false });
        await two.system.start();
        await two.advance(60_000);
        assert.equal((await two.message(id!)).status, "unknown");
        assert.equal(two.requests.length, 0);
      }));

    test("before acceptance was stored: nothing is there", () =>
      lives(engine, null, async (live) => {
        const one = await live({ dieAt: "accept.before" });
        void one.send(contacts(3));
        await one.settle();
        await one.kill();
        const two = await live();
        await two.advance(60_000);
        assert.equal(await stored(two), 0);
        assert.equal(two.requests.length, 0);
      }));

    test("a gateway drains: what waits on it leaves once, what was on the wire is in doubt, and then it goes", () =>
      lives(engine, null, async (live) => {
        const one = await live({ started: false });
        const ids = await one.accepted(contacts(20));
        const account = await one.system.core.database.run(findAccountByName, "acme");
        const deleted = await deleteGateway(one.system.core, account?.id ?? "", "main");
        assert.equal(deleted.kind, "draining");
        await one.kill();
        const two = await live({ dieAt: "send.after" });
        await two.advance(60_000);
        await two.kill();
        const three = await live();
        await three.advance(120_000);
        const sent = [...asked(two), ...asked(three)].map(({ id }) => id);
        assert.equal(new Set(sent).size, sent.length, "twice");
        const states = await Promise.all(ids.map(async (id) => (await three.message(id)).status));
        const doubtful = states.filter((status) => status === "unknown").length;
        assert.deepEqual(
          [states.filter((status) => status === "sent").length, doubtful > 0],
          [20 - doubtful, true],
        );
        const reply = await three.send(contacts(1), {});
        assert.equal(reply.statusCode, 422);
        assert.match(reply.body, /gateway/);
      }));

    for (const dieAt of ["stamp.after", "send.before"]) {
      test(`at ${dieAt}: in doubt, and held; the provider never saw it`, () =>
        lives(engine, null, async (live) => {
          const one = await live({ dieAt });
          const [id] = await one.accepted(contacts(1));
          await one.settle();
          await one.kill();
          assert.equal(one.requests.length, 0);
          const two = await live();
          await two.advance(120_000);
          const record = await two.message(id!);
          assert.equal(record.status, "unknown");
          assert.equal(record.error?.code, "interrupted");
          assert.equal(two.requests.length, 0);
        }));

      test(`at ${dieAt}, with the policy resend: it leaves once`, () =>
        lives(engine, "resend", async (live) => {
          const one = await live({ dieAt });
          const [id] = await one.accepted(contacts(1));
          await one.settle();
          await one.kill();
          const two = await live();
          await two.advance(120_000);
          assert.equal((await two.message(id!)).status, "sent");
          assert.deepEqual([one.requests.length, two.requests.length], [0, 1]);
        }));
    }

    for (const dieAt of ["send.after", "settle.before"]) {
      test(`at ${dieAt}: the provider has it, no process knows, and it is not sent again; a receipt settles it`, () =>
        lives(engine, null, async (live) => {
          const one = await live({ dieAt });
          const [id] = await one.accepted(contacts(1));
          await one.settle();
          await one.kill();
          const two = await live();
          await two.advance(120_000);
          assert.equal((await two.message(id!)).status, "unknown");
          assert.deepEqual([one.requests.length, two.requests.length], [1, 0]);
          await report(two, "main", { id: `p-${id}`, ref: id, state: "DELIVRD" });
          assert.equal((await two.message(id!)).status, "delivered");
          assert.deepEqual(await story(two, id!), ["queued", "sending", "unknown", "delivered"]);
        }));
    }

    test("at send.after with the policy resend: exactly one repeat, under the same id", () =>
      lives(engine, "resend", async (live) => {
        const one = await live({ dieAt: "send.after" });
        const [id] = await one.accepted(contacts(1));
        await one.settle();
        await one.kill();
        const two = await live();
        await two.advance(120_000);
        assert.deepEqual(
          [...asked(one), ...asked(two)].map((each) => each.id),
          [id, id],
        );
        assert.equal((await two.message(id!)).status, "sent");
      }));

    test("after the outcome was stored: nothing more happens", () =>
      lives(engine, "resend", async (live) => {
        const one = await live({ dieAt: "settle.after" });
        const [id] = await one.accepted(contacts(1));
        await one.settle();
        await one.kill();
        const two = await live();
        await two.advance(120_000);
        assert.equal((await two.message(id!)).status, "sent");
        assert.equal(two.requests.length, 0);
      }));

    test("in the middle of a backlog: only what was on the wire is in doubt", () =>
      lives(engine, null, async (live) => {
        const one = await live({ respond: () => new Promise(() => {}) });
        const ids = await one.accepted(contacts(50));
        await one.settle();
        await one.kill();
        const onWire = new Set(asked(one).map(({ id }) => id));
        assert.equal(onWire.size, 8, "the gateway's concurrency");
        const two = await live();
        await two.advance(120_000);
        for (const id of ids)
          assert.equal((await two.message(id)).status, onWire.has(id) ? "unknown" : "sent");
        assert.equal(two.requests.length, 42);
      }));

    test("a message scheduled before the crash leaves at its time after it", () =>
      lives(engine, null, async (live) => {
        const one = await live();
        const [id] = await one.accepted([{ ...contacts(1)[0], schedule_at: "2026-01-01 01:00:00" }]);
        await one.kill();
        const two = await live();
        await two.advance(3_600_000);
        assert.equal((await two.message(id!)).sent_at, "2026-01-01T01:00:00.000Z");
      }));
  });
}
