// Looking up and cancelling, always for one account, on real storage.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Account } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import { cancel, lookup, recent } from "#messaging/lookup.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { type Harness, harness, someEngines } from "../harness.ts";

for (const engine of someEngines(import.meta.filename)) {
  describe(`lookups on ${engine}`, () => {
    let it: Harness;
    let mine: Account;
    let other: Account;
    let ids: string[];
    const load = async (id: string) => accountFromRow((await it.system.database.run(findAccount, id))!);

    before(async () => {
      it = await harness({ engine, started: false });
      const foreign = await it.account({ name: "other" });
      const own = await it.account({ name: "mine" });
      await it.gateway({ identifier: "box" });
      [mine, other] = [await load(own.id), await load(foreign.id)];
      ids = [];
      for (let i = 0; i < 5; i++)
        ids.push(...(await it.accepted([{ number: `+1555000000${i}`, message: "Hi" }])));
    });
    after(() => it?.close());

    test("one message with its timeline; none for another account, channel or id", async () => {
      const { core } = it.system;
      const found = await lookup(core, mine, "sms", ids[0]!);
      assert.equal(found?.id, ids[0]);
      assert.equal(found?.events?.length, 1);
      assert.equal(await lookup(core, other, "sms", ids[0]!), null);
      assert.equal(await lookup(core, mine, "email", ids[0]!), null);
      for (const id of ["", "msg_", "nonsense", `${ids[0]}0`, ids[0]!.toUpperCase(), ids[0]!.slice(0, -1)])
        assert.equal(await lookup(core, mine, "sms", id), null, id);
    });

    test("a page of large emails is shorter than asked for, and goes on where it ended", async () => {
      await it.gateway({ identifier: "mail", channel: "email" });
      const bodies = ["a", "b", "c"].map((letter) => letter.repeat(3 * 1024 * 1024));
      for (const message of bodies) {
        const contact = [{ email: "ann@example.com", subject: "Hello", message }];
        assert.equal((await it.post("/api/email/send", { contact })).statusCode, 200);
      }
      const page = async (cursor: string | null) => {
        const found = await recent(it.system.core, mine, "email", { limit: 3, cursor, status: null });
        assert.ok(found);
        return { cursor: found.nextCursor, letters: found.records.map(({ message }) => message[0]) };
      };
      const first = await page(null);
      assert.deepEqual(first.letters, ["c", "b"]);
      assert.deepEqual(await page(first.cursor), { cursor: null, letters: ["a"] });
    });

    test("pages, newest first, without gaps or repeats; the last one has no cursor", async () => {
      const { core } = it.system;
      const seen: string[] = [];
      let cursor: string | null = null;
      let pages = 0;
      do {
        const page: Awaited<ReturnType<typeof recent>> = await recent(core, mine, "sms", {
          limit: 2,
          cursor,
          status: null,
        });
        assert.ok(page);
        seen.push(...page.records.map(({ id }) => id));
        for (const record of page.records) assert.equal(record.events, undefined);
        cursor = page.nextCursor;
        pages += 1;
      } while (cursor !== null);
      assert.equal(pages, 3);
      assert.deepEqual(seen, ids.toReversed());
    });

    test("a page that is exactly full says that it was the last", async () => {
      const page = await recent(it.system.core, mine, "sms", { limit: 5, cursor: null, status: null });
      assert.equal(page?.records.length, 5);
      assert.equal(page?.nextCursor, null);
    });

    test("a cursor that is not ours is refused, another account's finds nothing of mine", async () => {
      const query = { limit: 5, status: null };
      assert.equal(await recent(it.system.core, mine, "sms", { ...query, cursor: "x" }), null);
      const page = await recent(it.system.core, other, "sms", { ...query, cursor: ids[4]! });
      assert.deepEqual(page, { records: [], nextCursor: null });
    });

    test("cancelling is for the owner alone, works once and stays so", async () => {
      const deps = it.system.core;
      const id = ids[2]!;
      assert.deepEqual(await cancel(deps, other, "sms", id), { kind: "not_found" });
      assert.deepEqual(await cancel(deps, mine, "whatsapp", id), { kind: "not_found" });
      assert.deepEqual(await cancel(deps, mine, "sms", "nonsense"), { kind: "not_found" });
      const done = await cancel(deps, mine, "sms", id);
      assert.equal(done.kind, "cancelled");
      const again = await cancel(deps, mine, "sms", id);
      assert.deepEqual(again, done);
      const filtered = await recent(deps, mine, "sms", {
        limit: 5,
        cursor: null,
        status: "cancelled",
      });
      assert.deepEqual(
        filtered?.records.map((record) => record.id),
        [id],
      );
    });

    test("what has gone out cannot be cancelled", async () => {
      await it.system.start();
      await it.settle();
      const deps = it.system.core;
      assert.deepEqual(await cancel(deps, mine, "sms", ids[0]!), {
        kind: "not_cancellable",
        status: "delivered",
      });
    });
  });
}
