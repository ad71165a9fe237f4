// Two installations in two schemas of one PostgreSQL database, beside another program's tables of the same names.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { movableClock } from "#runtime/movable-clock.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { type Harness, harness } from "../harness.ts";
import { type FreshDatabase, freshDatabase } from "../postgres.ts";

describe("two installations in one database", () => {
  let fresh: FreshDatabase;
  const clock = movableClock();
  const installations: Harness[] = [];
  before(async () => {
    fresh = await freshDatabase({ bare: true });
    const other = new pg.Client({ connectionString: fresh.url });
    await other.connect();
    await other.query(
      "create table accounts (id int); create table lanes (id int); create table messages (id int)",
    );
    await other.end();
    for (const schema of ["trunkline", "trunkline_2"]) {
      const it = await harness({
        clock,
        ground: {
          engine: "postgres",
          open: () => openPostgres({ url: fresh.url, schema }),
          remove: async () => {},
        },
        settings: { masterKey: `the master key of the installation in ${schema}` },
      });
      await it.account({ name: "acme" });
      await it.gateway({ identifier: "box", default: true });
      installations.push(it);
    }
  });
  after(async () => {
    for (const it of installations) await it.close();
    await fresh.drop();
  });

  test("send and deliver side by side, and know nothing of each other", async () => {
    const sent = await Promise.all(
      installations.map((it, i) =>
        it.accepted(Array.from({ length: 20 + i }, () => ({ number: "+15550000001", message: "Hello" }))),
      ),
    );
    for (const it of installations) await it.settle();
    for (const [i, it] of installations.entries()) {
      for (const id of sent[i]!) assert.equal((await it.message(id)).status, "delivered");
      const listed = await it.get("/api/get/sms?limit=100");
      assert.equal(listed.json().data.length, 20 + i);
      const [id] = sent[1 - i]!;
      assert.equal((await it.get(`/api/get/sms/${id}`)).statusCode, 404);
    }
  });

  test("a message that waits is sent by its own", async () => {
    const [left, right] = installations as [Harness, Harness];
    const [id] = await left.accepted([{ number: "+15550000004", message: "Later" }]);
    await right.settle();
    assert.equal((await left.message(id!)).status, "queued");
    await left.advance(86_400_000);
    assert.equal((await left.message(id!)).status, "delivered");
  });
});
