// The events about a gateway say what it is called and its state, to its own account, and nothing of its settings.

import assert from "node:assert/strict";
import test from "node:test";
import { pauseLane } from "#store/lanes/lanes.ts";
import { onBothEngines } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { claim, fresh, makeAccount, makeGateway, now } from "../rows.ts";

onBothEngines((open) => {
  test("its account hears of it, if it asked, and others do not", async () => {
    const store = open();
    const [mine, deaf, other] = [
      await makeAccount(store.database),
      await makeAccount(store.database),
      await makeAccount(store.database),
    ];
    await listen(store, mine, ["gateway.paused"]);
    await listen(store, deaf, ["gateway.resumed", "message.*"]);
    await listen(store, other);
    for (const accountId of [mine, deaf]) {
      const id = await makeGateway(store.database, accountId, {
        channel: "whatsapp",
        kind: "sandbox",
        settings: "v1.sealed.secret",
        rules: '{"secret":1}',
      });
      const fence = await claim(store, id);
      const eventId = fresh("gp");
      await store.database.run(pauseLane, {
        id,
        fence,
        at: now,
        until: now + 1,
        reason: "x",
        pauses: 1,
        eventId,
      });
    }
    const [note, ...more] = await notesOf(store, mine);
    assert.deepEqual(more, []);
    const { identifier, ...rest } = note?.data ?? {};
    assert.match(String(identifier), /^identifier-gw_/);
    const expected = { channel: "whatsapp", kind: "sandbox", active: true, default: false, reason: "x" };
    assert.deepEqual(rest, expected);
    assert.deepEqual([...(await notesOf(store, deaf)), ...(await notesOf(store, other))], []);
  });
});
