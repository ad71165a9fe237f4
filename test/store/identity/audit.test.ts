// The audit log, as both engines keep it: filtered, in pages, and changed in one way only.

import assert from "node:assert/strict";
import test from "node:test";
import {
  type AuditFilter,
  finishAuditEntry,
  insertAuditEntry,
  listAuditEntries,
} from "#store/identity/audit.ts";
import type { AuditEntriesTable } from "#store/schema/identity.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, now } from "../rows.ts";

function entryRow(columns: Partial<AuditEntriesTable> = {}): AuditEntriesTable {
  return {
    id: fresh("aud"),
    at: now,
    actor_kind: "user",
    actor_id: "usr_1",
    actor_name: "ann@acme.test",
    account_id: null,
    action: "updateUser",
    target: null,
    detail: "{}",
    outcome: "started",
    ...columns,
  };
}

onBothEngines((open) => {
  const write = async (columns: Partial<AuditEntriesTable> = {}) => {
    const entry = entryRow(columns);
    await open().database.run(insertAuditEntry, entry);
    return entry;
  };
  const list = (filter: Partial<AuditFilter>) =>
    open().database.run(listAuditEntries, {
      accountId: null,
      actorId: null,
      action: null,
      before: null,
      limit: 100,
      ...filter,
    });

  test("entries come back whole, newest first, a page at a time", async () => {
    const actorId = fresh("usr");
    const made = [];
    for (let i = 0; i < 3; i++) made.push(await write({ actor_id: actorId }));
    made.reverse();
    assert.deepEqual(
      (await list({ actorId })).map((entry) => ({ ...entry })),
      made,
    );
    const page = await list({ actorId, limit: 2 });
    assert.deepEqual(
      page.map(({ id }) => id),
      made.slice(0, 2).map(({ id }) => id),
    );
    const next = await list({ actorId, before: page[1]!.id });
    assert.deepEqual(
      next.map(({ id }) => id),
      [made[2]!.id],
    );
  });

  test("filters go together", async () => {
    const [accountId, actorId, action] = [fresh("acc"), fresh("usr"), fresh("action")];
    const all = await write({ account_id: accountId, actor_id: actorId, action });
    await write({ account_id: accountId, actor_id: actorId });
    await write({ account_id: accountId, action });
    await write({ actor_id: actorId, action });
    assert.equal((await list({ accountId })).length, 3);
    assert.equal((await list({ actorId })).length, 3);
    assert.equal((await list({ action })).length, 3);
    assert.deepEqual(
      (await list({ accountId, actorId, action })).map(({ id }) => id),
      [all.id],
    );
  });

  test("what was started ends once, and never changes again", async () => {
    const actorId = fresh("usr");
    const { id } = await write({ actor_id: actorId });
    const aimed = await write({ actor_id: actorId, target: "usr_2" });
    const done = await write({ actor_id: actorId, outcome: "done" });
    for (const [each, outcome] of [
      [id, "200"],
      [id, "500"],
      [aimed.id, "404"],
      [done.id, "200"],
    ] as const) {
      await open().database.run(finishAuditEntry, { id: each, outcome, createdId: "usr_9" });
    }
    const seen = (await list({ actorId })).map(({ outcome, target }) => [outcome, target]);
    assert.deepEqual(seen, [
      ["done", null],
      ["404", "usr_2"],
      ["200", "usr_9"],
    ]);
    const none = await write({ actor_id: actorId });
    await open().database.run(finishAuditEntry, { id: none.id, outcome: "200", createdId: null });
    assert.equal((await list({ actorId }))[0]?.target, null);
  });
});
