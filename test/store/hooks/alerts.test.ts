// The causes of hooks that report what needs attention: kept with their hook, gone with it or when it stops reporting.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  noteAlertFailure,
  readAlertCauses,
  readAlertHooks,
  readFailedAlerts,
  saveAlertCauses,
} from "#store/hooks/alerts.ts";
import { type HookRow, removeHook, saveHook } from "#store/hooks/hooks.ts";
import type { AlertCausesTable } from "#store/schema/hooks.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, now } from "../rows.ts";

onBothEngines((open) => {
  async function made(alerts: 0 | 1 = 1) {
    const accountId = await makeAccount(open().database);
    const id = fresh("hook");
    const row: HookRow = {
      id,
      account_id: accountId,
      name: id,
      hash: id,
      hint: "h",
      rules: "{}",
      last_received_at: null,
      last_outcome: null,
      alerts,
      revision: 0,
      created_at: now,
      updated_at: now,
    };
    assert.equal(await open().database.run(saveHook, row), "saved");
    const cause: AlertCausesTable = {
      hook_id: id,
      cause: "a",
      since: now,
      item: "{}",
      absent_at: null,
      begun_at: null,
      ended_at: null,
      ended_sent: 0,
    };
    const save = (put: AlertCausesTable[], remove: AlertCausesTable[] = []) =>
      open().database.run(saveAlertCauses, { hookId: id, put, remove });
    const read = () => open().database.run(readAlertCauses, id);
    return { row, accountId, of: { accountId, id }, cause, save, read };
  }

  test("causes are replaced and removed by their name and beginning, oldest first", async () => {
    const { cause, save, read } = await made();
    const earlier = { ...cause, since: now - 1 };
    await save([cause, earlier, { ...cause, cause: "b" }]);
    await save([{ ...cause, begun_at: now + 1 }], [{ ...cause, cause: "b" }]);
    assert.deepEqual(await read(), [earlier, { ...cause, begun_at: now + 1 }]);
  });

  test("a hook that stops reporting forgets its causes and its failure, and stores none", async () => {
    const { row, accountId, of, cause, save, read } = await made();
    const { database } = open();
    await save([cause]);
    await database.run(noteAlertFailure, { ...of, at: now });
    assert.deepEqual(
      (await database.run(readFailedAlerts, accountId)).map(({ id, alerts_failed_at }) => [
        id,
        alerts_failed_at,
      ]),
      [[row.id, now]],
    );
    assert.ok((await database.run(readAlertHooks, null)).some(({ id }) => id === row.id));
    assert.equal(await database.run(saveHook, { ...row, alerts: 0, revision: 1 }), "saved");
    await save([cause]);
    assert.deepEqual(await read(), []);
    assert.equal(await database.run(saveHook, { ...row, alerts: 1, revision: 2 }), "saved");
    assert.deepEqual(await database.run(readFailedAlerts, accountId), []);
  });

  test("a deleted hook takes its causes along, and another account's neither fails nor goes", async () => {
    const { of, cause, save, read, accountId } = await made();
    const { database } = open();
    await save([cause]);
    const other = { ...of, accountId: await makeAccount(database) };
    await database.run(noteAlertFailure, { ...other, at: now });
    assert.equal(await database.run(removeHook, other), false);
    assert.deepEqual([await database.run(readFailedAlerts, accountId), (await read()).length], [[], 1]);
    assert.equal(await database.run(removeHook, of), true);
    assert.deepEqual(await read(), []);
  });
});
