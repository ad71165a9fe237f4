// Two releases on one PostgreSQL: the present one is the older, and the newer one has a migration that it does not know. Every table has a
// column more, every send is answered, and every message goes out once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { movableClock } from "#runtime/movable-clock.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { type Migration, migrations, newestSchema } from "#store/schema/migrate.ts";
import { type Harness, harness } from "../harness.ts";
import { migratedDatabase } from "../postgres.ts";
import { answer, provider } from "../scenarios/provider.ts";

const future: Migration = {
  id: newestSchema + 1,
  name: "from-the-future",
  additive: true,
  async up(tx) {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' order by 1
    `.execute(tx.db);
    for (const { name } of rows)
      await sql`alter table ${sql.table(name)} add column from_the_future bigint not null default 0`.execute(
        tx.db,
      );
    await sql`create table of_the_future (id text primary key)`.execute(tx.db);
  },
};

/** As in a real installation of several processes. */
const settings = { heartbeatMs: 5_000, pollMs: 1_000, takeoverMs: 45_000 };

test("processes of two releases share the work while one replaces the other, in both directions", async () => {
  const { url, drop } = await migratedDatabase();
  const clock = movableClock();
  /** The texts that the provider was given. */
  const sent: string[] = [];
  const release = async (known: readonly Migration[]): Promise<Harness> => {
    const it = await harness({
      clock,
      settings,
      ground: {
        engine: "postgres",
        open: () => openPostgres({ url, migrations: known }),
        remove: async () => {},
      },
    });
    it.respond((request) => {
      sent.push(String(JSON.parse(String(request.body)).text));
      // Some are busy, and are tried again by whichever process has the gateway then.
      return sent.length % 7 === 0 ? answer(429, {}) : answer(200, { id: `m${sent.length}` });
    });
    return it;
  };
  const older = () => release(migrations);
  const newer = () => release([...migrations, future]);
  const processes: Harness[] = [];
  const ids: string[] = [];
  let accepted = 0;
  const load = async () => {
    for (let round = 0; round < 3; round++) {
      const batches = processes.flatMap((it) =>
        Array.from({ length: 4 }, () =>
          it.accepted(
            Array.from({ length: 3 }, () => ({
              number: "+4915123456789",
              message: `text ${++accepted}`,
              gateway_identifier: `gateway-${accepted % 4}`,
            })),
          ),
        ),
      );
      ids.push(...(await Promise.all(batches)).flat());
      await clock.advance(2_000);
    }
  };
  const join = (it: Harness) => {
    it.as(account);
    processes.push(it);
  };
  const leave = async () => await processes.shift()?.close();
  const first = await older();
  const account = await first.account();
  for (let i = 0; i < 4; i++)
    await first.gateway({
      identifier: `gateway-${i}`,
      ...provider,
      retry: { first_ms: 1_000, max_ms: 5_000 },
    });
  join(first);
  join(await older());
  await load();
  // The newer one migrates while both run and hold the plans of their statements.
  join(await newer());
  await load();
  await leave();
  await load();
  // A restart of the older release finds the newer schema, and starts.
  join(await older());
  await load();
  await leave();
  await leave();
  await load();
  // Minutes pass, and the last one finishes what the others left.
  for (let i = 0; i < 8; i++) await clock.advance(10_000);
  const [last] = processes;
  assert.ok(last);
  for (const id of ids) assert.equal((await last.message(id)).status, "sent");
  assert.equal(ids.length, accepted);
  assert.equal(new Set(ids).size, accepted);
  const taken = sent.filter((_, at) => (at + 1) % 7 !== 0);
  assert.deepEqual(taken.toSorted(), Array.from({ length: accepted }, (_, i) => `text ${i + 1}`).toSorted());
  await leave();
  await drop();
});
