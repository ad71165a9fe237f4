// Rows through one JSON parameter on PostgreSQL: typed by the table, sorted by bytes, with any content.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { sql } from "kysely";
import { type Operation, writeOperation } from "#store/database.ts";
import { openStore, type Store } from "../../conformance.ts";

let store: Store;
before(async () => {
  store = await openStore("postgres");
});
after(() => store.close());

const run = <T>(work: (tx: Parameters<Operation<null, T>["run"]>[0]) => Promise<T>) =>
  store.database.run(
    writeOperation("test", async (tx) => await work(tx)),
    null,
  );

const awkward = 'it\'s "quoted" \\ \u{1f600} $1 ? $x {x}\n\t';

test("rows from JSON keep text and numbers apart, quotes and nulls as they are", async () => {
  const records = [
    { id: "007", at: 1_800_000_000_000 },
    { id: awkward, at: null },
  ];
  const rows = await run(async (tx) => {
    const found =
      await sql<object>`select * from ${tx.rows("r", { id: "text", at: "bigint" }, records)}`.execute(tx.db);
    return found.rows;
  });
  assert.deepEqual(rows, records);
});

test("inserted rows share the constant columns and keep their own", async () => {
  await run((tx) =>
    tx.insert(
      "installation_facts",
      ["value", "name"],
      [{ constant: [awkward], rows: [["one"], ["two"], [awkward]] }],
    ),
  );
  const rows = await store.query<{ name: string; value: string }>(
    "select name, value from installation_facts where name not in ('postgres_schema', 'oldest_schema') order by name",
  );
  assert.deepEqual(rows.map(({ name }) => name).sort(), ["one", "two", awkward].sort());
  assert.ok(rows.every(({ value }) => value === awkward));
  await run((tx) => tx.insert("installation_facts", ["name", "value"], [{ constant: [], rows: [] }]));
});

test("row locks are asked for by their strength", async () => {
  const texts = await run(async (tx) =>
    (["update", "share"] as const).map(
      (strength) =>
        tx.db.selectFrom("installation_facts").select("name").modifyEnd(tx.lock(strength)).compile().sql,
    ),
  );
  assert.match(texts[0]!, /for update$/);
  assert.match(texts[1]!, /for share$/);
});

test("many different statements do not grow the server's memory without bound", async () => {
  const count = await run(async (tx) => {
    for (let i = 0; i < 400; i++) await sql`select ${sql.lit(i)} as n`.execute(tx.db);
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_prepared_statements`.execute(
      tx.db,
    );
    return rows[0]!.n;
  });
  assert.ok(count <= 300, `${count} prepared statements`);
});
