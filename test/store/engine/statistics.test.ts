// What the planners know: SQLite keeps no statistics of small tables, and takes those of others in small steps while it runs;
// PostgreSQL's tables are analysed when they have outgrown what is known of them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { refreshStatistics } from "#store/engine/statistics.ts";
import { openKept } from "../../sqlite.ts";
import { type engines, openStore, type Store } from "../conformance.ts";
import { grow } from "../grown.ts";
import { growTo, readStatistics } from "../statement-plans.ts";

async function steps(store: Store): Promise<string[]> {
  const taken: string[] = [];
  for (let after: string | null = null; ; taken.push(after)) {
    after = await store.database.run(refreshStatistics, { after });
    if (after === null) return taken;
    assert.ok(taken.length < 100, "no end");
  }
}

async function opened(engine: (typeof engines)[number], body: (store: Store) => Promise<void>) {
  const store = await openStore(engine);
  try {
    await body(store);
  } finally {
    await store.close();
  }
}

describe("sqlite", () => {
  test("tables of 10,000 to 100,000 rows are analysed, one index a step; what is smaller or larger is not", () =>
    opened("sqlite", async (store) => {
      await growTo(store, 0, 50_001);
      await store.query(
        "insert into message_events with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000) select 'x' || i, 1, '', 1, '', '', null from n",
      );
      const taken = await steps(store);
      const known = await readStatistics(store);
      const tables = new Set(known.map(({ tbl }) => tbl));
      assert.ok(tables.has("messages"));
      assert.equal(known.filter(({ tbl }) => tbl === "messages").length, 7);
      for (const few of ["gateways", "accounts", "outbox", "requests"]) assert.ok(!tables.has(few), few);
      assert.ok(!tables.has("events"), "larger than what can be counted in passing");
      assert.equal(taken.filter((step) => step.startsWith("messages ")).length, 7);
      // And no more until the file has doubled.
      assert.deepEqual(await steps(store), []);
      await growTo(store, 50_001, 110_000);
      assert.ok((await steps(store)).length > 0);
    }));

  test("an installation that was analysed while it was small knows nothing of that any more when it is opened", async () => {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-statistics-"));
    const path = join(folder, "trunkline.db");
    const known = async (change: (raw: DatabaseSync) => void) => {
      await (await openKept(path)).close();
      const raw = new DatabaseSync(path);
      change(raw);
      const { count } = raw.prepare("select count(*) as count from sqlite_stat1").get()!;
      raw.close();
      return Number(count);
    };
    try {
      const atFirst = await known((raw) => {
        for (const statement of grow("sqlite", 0, 10)) raw.exec(statement);
        raw.exec("analyze");
      });
      assert.ok(atFirst > 10);
      // The start forgets them, and the stop takes none.
      assert.equal(await known(() => {}), 0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("postgres", () => {
  test("a table that has grown tenfold is analysed, and plans that were made before follow", () =>
    opened("postgres", async (store) => {
      await store.query("alter table messages set (autovacuum_enabled = false)");
      const pages = async () => {
        const [row] = await store.query<{ pages: number }>(
          "select relpages as pages from pg_class where relname = 'messages'",
        );
        return row!.pages;
      };
      await growTo(store, 0, 10);
      await store.query("analyze messages");
      const small = await pages();
      await growTo(store, 10, 1000);
      assert.equal(await pages(), small);
      assert.deepEqual(await steps(store), []);
      const grown = await pages();
      assert.ok(grown > 10 * small);
      await store.query("delete from messages where id > 'msg_10000500'");
      await steps(store);
      assert.equal(await pages(), grown, "not again for less");
    }));
});
