// Email's tables come to an installation that has the schema before, and keep what must be there once.

import assert from "node:assert/strict";
import test from "node:test";
import { onBothEngines } from "../../conformance.ts";
import { makeAccount } from "../../rows.ts";

onBothEngines((open) => {
  test("the migration is recorded after the ones before it", async () => {
    const rows = await open().query<{ id: number; name: string }>(
      "select id, name from migrations where id = 4",
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ id: 4, name: "email" }],
    );
  });

  test("an account that was there before may bring ten files of 10 MiB", async () => {
    const { database, query } = open();
    const id = await makeAccount(database);
    await query(
      `insert into accounts (id, name, time_zone, plan_name, created_at, updated_at)
       select 'acc_before', 'before', time_zone, plan_name, 1, 1 from accounts where id = ?`,
      id,
    );
    const [account] = await query<object>(
      "select attachment_files as files, attachment_bytes as bytes from accounts where id = 'acc_before'",
    );
    assert.deepEqual({ ...account }, { files: 10, bytes: 10_485_760 });
  });

  test("a domain is an account's once, and a selector a domain's once", async () => {
    const { database, query } = open();
    const account = await makeAccount(database);
    const domain = (id: string) =>
      query("insert into sending_domains values (?, ?, 'once.test', 1, 1)", id, account);
    await domain("dom_once");
    await assert.rejects(domain("dom_again"));
    const key = (id: string) =>
      query(
        "insert into dkim_keys values (?, 'dom_once', ?, 's1', 'rsa-sha256', 'p', 'sealed', 'pending', 1, 1)",
        id,
        account,
      );
    await key("dk_1");
    await assert.rejects(key("dk_2"));
  });
});
