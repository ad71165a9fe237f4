// The lanes of an account are those of its gateways and webhook endpoints, and of no other's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAccountLanes } from "#store/gateways/account-lanes.ts";
import { onBothEngines } from "../conformance.ts";
import { makeEndpoint } from "../endpoints.ts";
import { makeAccount, makeGateway } from "../rows.ts";

onBothEngines((open) => {
  test("gateways and endpoints of the account alone", async () => {
    const { database } = open();
    const [account, other] = [await makeAccount(database), await makeAccount(database)];
    assert.deepEqual(await database.run(readAccountLanes, account), []);
    const gateway = await makeGateway(database, account);
    const endpoint = await makeEndpoint(database, account);
    const theirs = await makeGateway(database, other);
    assert.deepEqual((await database.run(readAccountLanes, account)).sort(), [gateway, endpoint].sort());
    assert.deepEqual(await database.run(readAccountLanes, other), [theirs]);
  });
});
