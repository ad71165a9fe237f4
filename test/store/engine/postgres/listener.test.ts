// Announcements between processes, over one connection of each that is mended when it breaks.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import pg from "pg";
import type { Database } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";

let fresh: FreshDatabase;
let database: Database;
let admin: pg.Pool;
before(async () => {
  fresh = await freshDatabase();
  database = await openPostgres({ url: fresh.url });
  admin = new pg.Pool({ connectionString: fresh.url, max: 2 });
  // The server may end a connection that is just being closed, when the database is dropped.
  admin.on("error", () => {});
});
after(async () => {
  await admin.end();
  await database.close();
  await fresh.drop();
});

test("another process hears them, also once its listening connection was cut and mended", async () => {
  const own = await openPostgres({ url: fresh.url, applicationName: "listener" });
  const heard: string[] = [];
  let wake = () => {};
  own.onNotify((topic) => {
    heard.push(topic);
    wake();
  });
  const hear = async (topic: string, announce: () => void) => {
    const arrived = new Promise<void>((resolve) => {
      wake = () => heard.includes(topic) && resolve();
    });
    announce();
    await arrived;
  };
  await hear("lanes", () => database.notify("lanes"));
  await admin.query(
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'listener' and query like 'listen%'",
  );
  // Several announcements at once mend the one listener once.
  const mended = new Promise<void>((resolve) => {
    wake = () => heard.filter((topic) => topic === "again").length > 0 && resolve();
  });
  const repeat = async () => {
    for (let i = 0; i < 200 && !heard.includes("again"); i++) {
      own.notify("mend");
      own.notify("mend");
      database.notify("again");
      await admin.query("select 1");
    }
  };
  await Promise.all([mended, repeat()]);
  const { rows } = await admin.query(
    "select count(*)::int as n from pg_stat_activity where application_name = 'listener' and query like 'listen%'",
  );
  assert.equal(rows[0].n, 1);
  own.notify("last");
  await own.close();
});

test("closing while the listener is being mended leaves no connection behind", async () => {
  const own = await openPostgres({ url: fresh.url, applicationName: "leaver" });
  await admin.query(
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'leaver' and query like 'listen%'",
  );
  for (let i = 0; i < 3; i++) {
    await admin.query("select 1");
    own.notify("mend");
  }
  await own.close();
  const open = async () =>
    (await admin.query("select count(*)::int as n from pg_stat_activity where application_name = 'leaver'"))
      .rows[0].n;
  for (let i = 0; i < 200 && (await open()) > 0; i++);
  assert.equal(await open(), 0);
});
