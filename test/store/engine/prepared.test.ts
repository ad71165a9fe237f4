// A statement is compiled once a connection, and runs with the parameters of each call: were the first ones
// kept, a balance would be written to another account.

import assert from "node:assert/strict";
import test from "node:test";
import { type CompiledQuery, sql } from "kysely";
import { compiledOnce } from "#store/engine/prepared.ts";
import { SqliteConnection, sqliteTx } from "#store/engine/sqlite/connection.ts";
import { openStore } from "../conformance.ts";

test("compiled once a connection, with each call's own parameters", async () => {
  const store = await openStore("sqlite");
  const connections = [new SqliteConnection(store.place, "read"), new SqliteConnection(store.place, "read")];
  let compiled = 0;
  for (const connection of connections) {
    const tx = sqliteTx(connection);
    const compile = (): CompiledQuery<{ sum: number }> => {
      compiled += 1;
      return sql<{ sum: number }>`select ${1} + ${2} as sum`.compile(tx.db);
    };
    for (const numbers of [
      [1, 2],
      [30, 4],
    ]) {
      const { rows } = await tx.db.executeQuery(compiledOnce(tx, "sum", compile, numbers));
      assert.equal(rows[0]?.sum, numbers[0]! + numbers[1]!);
    }
    assert.throws(() => compiledOnce(tx, "another", compile, [1]), /another has 2 parameters, not 1/);
  }
  assert.equal(compiled, 4);
  for (const connection of connections) connection.close();
  await store.close();
});
