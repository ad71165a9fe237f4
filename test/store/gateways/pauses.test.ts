// The pauses of gateways: at most one lasts, and old ones are removed once they ended.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseByOperator, resumeByOperator } from "#store/gateways/actions.ts";
import { deletePauses, readPauses } from "#store/gateways/pauses.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, now } from "../rows.ts";

onBothEngines((open) => {
  test("a pause begins and ends with its events; ended ones are removed, one that lasts is not", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const id = await makeGateway(store.database, accountId);
    const own = { accountId, identifier: `identifier-${id}` };
    const stop = (at: number) =>
      store.database.run(pauseByOperator, { ...own, at, reason: "by hand", by: "ada" });
    const read = async (before = Number.MAX_SAFE_INTEGER) =>
      (await store.database.run(readPauses, { ...own, before, limit: 10 }))?.map(
        ({ since, until, reason }) => [since, until, reason],
      );
    assert.deepEqual(await read(), []);
    await stop(now);
    await stop(now + 1);
    await store.database.run(resumeByOperator, { ...own, at: now + 5 });
    await stop(now + 10);
    const lasting = [now + 10, null, "by hand"];
    assert.deepEqual(await read(), [lasting, [now, now + 5, "by hand"]]);
    assert.deepEqual(await read(now + 10), [[now, now + 5, "by hand"]]);
    const foreign = { ...own, accountId: await makeAccount(store.database) };
    assert.equal(await store.database.run(readPauses, { ...foreign, before: now, limit: 10 }), null);
    await store.database.run(deletePauses, { before: now + 1_000, limit: 10 });
    assert.deepEqual(await read(), [lasting]);
  });
});
