// Several servers in one URL: the one that takes writes is found, and another one takes over when it is gone.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import pg from "pg";
import { StorageError } from "#store/database.ts";
import { urlsOf } from "#store/engine/postgres/hosts.ts";
import { inspectPostgres } from "#store/engine/postgres/inspect.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { probeWrite } from "#store/engine/probe.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";
import { startPooler } from "./pooler-server.ts";
import { startProxy } from "./proxy.ts";

let fresh: FreshDatabase;
let other: FreshDatabase;
before(async () => {
  [fresh, other] = await Promise.all([freshDatabase({ bare: true }), freshDatabase({ bare: true })]);
});
after(async () => {
  await fresh.drop();
  await other.drop();
});

/** The URL of `fresh`, with these in place of its host and port. */
const at = (...hosts: string[]) => fresh.url.replace(/@[^/]+/, `@${hosts.join(",")}`);
const hostOf = (url: string) => new URL(url).host;
const nowhere = "127.0.0.1:1";

test("a URL is read as libpq reads it", () => {
  const table: [string, string[]][] = [
    ["postgres://db/x", ["postgres://db/x"]],
    ["postgres://u:p%40,w@db:5/x?sslmode=require", ["postgres://u:p%40,w@db:5/x?sslmode=require"]],
    ["postgres:///x?host=/run/postgresql", ["postgres:///x?host=/run/postgresql"]],
    [
      "postgresql://u:p,w@a:1,[::1]:2,c/x?target_session_attrs=read-write",
      ["a:1", "[::1]:2", "c"].map((host) => `postgresql://u:p,w@${host}/x?target_session_attrs=read-write`),
    ],
    ["postgres://a,b", ["postgres://a", "postgres://b"]],
    [
      "postgres://a,b?target_session_attrs=any",
      ["a", "b"].map((host) => `postgres://${host}?target_session_attrs=any`),
    ],
  ];
  for (const [url, expected] of table) assert.deepEqual(urlsOf(url), expected);
  for (const attributes of ["standby", "read-only", "prefer-standby"]) {
    assert.throws(
      () => urlsOf(`postgres://u:secret@a,b/x?target_session_attrs=${attributes}`),
      (error) =>
        error instanceof StorageError &&
        /takes no writes/.test(error.message) &&
        !/secret/.test(error.message),
    );
  }
});

test("servers that are away or take no writes are passed over, at a start and by the doctor", async () => {
  const name = new URL(other.url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: fresh.url });
  await admin.connect();
  await admin.query(`alter database "${name}" set default_transaction_read_only = on`);
  const standby = await startPooler(other.url, 3, "session");
  const url = at(nowhere, hostOf(standby.url), hostOf(fresh.url));
  const database = await openPostgres({ url });
  await database.run(probeWrite, 1);
  await database.close();
  assert.equal((await admin.query("select 1 from trunkline.migrations")).rowCount! > 0, true);
  assert.ok("schema" in (await inspectPostgres(url)));
  const alone = at(nowhere, hostOf(standby.url));
  await assert.rejects(
    openPostgres({ url: alone, startMs: 0 }),
    (error) => error instanceof StorageError && error.fault === "unavailable",
  );
  assert.ok("fault" in (await inspectPostgres(alone)));
  await standby.close();
  await admin.end();
});

test("when the server is gone, calls go to the next one, and back", async () => {
  const [one, two] = await Promise.all([startProxy(fresh.url), startProxy(fresh.url)]);
  const database = await openPostgres({ url: at(hostOf(one.url), hostOf(two.url)) });
  const works = async () => {
    // Connections that were cut fail their calls first; there are six at most.
    for (let i = 0; i < 8; i++) await database.run(probeWrite, i).catch(() => {});
    await database.run(probeWrite, 9);
  };
  await works();
  assert.equal(two.asked(), 0);
  await one.down();
  await works();
  assert.ok(two.asked() > 0);
  one.up();
  await two.down();
  await works();
  await database.close();
  await one.close();
  await two.close();
});
