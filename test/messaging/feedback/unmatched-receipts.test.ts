// A gateway whose receipts name no message of its own: noticed after twenty.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readGateways } from "#store/gateways/actions.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { unmatchedSince } from "#store/gateways/unmatched-receipts.ts";
import { harness } from "../../harness.ts";
import { inject } from "../../inject.ts";
import { callbackToken, providerSettings, takes } from "../../scenarios/provider.ts";

test("a gateway whose receipts name no message says so after twenty, once, until they do", async (context) => {
  const it = await harness({ respond: takes });
  context.after(() => it.close());
  await it.account();
  await it.gateway({ identifier: "lost", kind: "http-api", settings: providerSettings });
  const report = async (reference: string) => {
    const url = `/callbacks/lost?token=${callbackToken}`;
    const reply = await inject(it.system.app, {
      method: "POST",
      url,
      payload: { id: reference, state: "DELIVRD" },
    });
    assert.ok(reply.statusCode < 300, reply.body);
  };
  const gateway = await it.system.database.run(findGatewayByIdentifier, "lost");
  assert.ok(gateway);
  const since = async () => {
    const query = {
      accountId: gateway.account_id,
      identifier: "lost",
      priorities: [],
      now: 0,
      countTo: 1,
    };
    const [found] = await it.system.database.run(readGateways, query);
    return unmatchedSince(JSON.parse(found?.accountUpdate?.facts ?? "{}"));
  };
  for (let i = 0; i < 19; i += 1) await report(`lost-${i}`);
  assert.equal(await since(), null);
  await report("lost-0");
  assert.equal(await since(), null, "the same receipt again does not count");
  for (let i = 19; i < 60; i += 1) await report(`lost-${i}`);
  assert.equal(await since(), it.clock.now());
  assert.equal(it.log.text().match(/gateway\.receipts_unmatched/g)?.length, 1);
  const ids = await it.accepted(
    Array.from({ length: 20 }, (_, i) => ({
      number: `+4915123457${i + 100}`,
      message: "Hello",
      gateway_identifier: "lost",
    })),
  );
  await it.settle();
  for (const one of ids) await report(`p-${one}`);
  assert.equal(await since(), null);
});
