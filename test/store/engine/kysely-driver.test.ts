// One kysely over a connection that is already there.

import assert from "node:assert/strict";
import test from "node:test";
import { type CompiledQuery, type DatabaseConnection, SqliteAdapter, SqliteQueryCompiler } from "kysely";
import { kyselyOn } from "#store/engine/kysely-driver.ts";

function recording(): DatabaseConnection & { asked: CompiledQuery[] } {
  const asked: CompiledQuery[] = [];
  return {
    asked,
    executeQuery: async (query) => {
      asked.push(query);
      return { rows: [] };
    },
    // biome-ignore lint/correctness/useYield: nothing is streamed here.
    async *streamQuery() {
      throw new Error("not used");
    },
  };
}

test("queries go to the connection as they are compiled, with their values beside them", async () => {
  const connection = recording();
  const db = kyselyOn(connection, new SqliteAdapter(), new SqliteQueryCompiler());
  await db.selectFrom("installation_facts").select("value").where("name", "=", "a'b").execute();
  assert.deepEqual(
    connection.asked.map(({ sql, parameters }) => [sql, parameters]),
    [['select "value" from "installation_facts" where "name" = ?', ["a'b"]]],
  );
});
