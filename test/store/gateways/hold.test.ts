// Sends and deletions of their gateway at once: a message never has a gateway that is gone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteGateway } from "#store/gateways/delete.ts";
import { storeSends } from "#store/messages/insert.ts";
import { moveToDefault } from "#store/messages/move.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { makeAccount, makeGateway, now, sendOf } from "../rows.ts";

async function made(store: Store) {
  const accountId = await makeAccount(store.database);
  return { accountId, id: await makeGateway(store.database, accountId) };
}

const deletionOf = ({ accountId, id }: { accountId: string; id: string }) => ({
  accountId,
  identifier: `identifier-${id}`,
  at: now,
  priorities: [0, 1, 2],
  countTo: 10,
});

onBothEngines((open) => {
  test("of a send and a deletion at once, either the gateway waits for the message, or the send is refused", async () => {
    const store = open();
    for (let round = 0; round < 20; round += 1) {
      const gateway = await made(store);
      const [stored, deletion] = await Promise.all([
        store.other.run(storeSends, sendOf(gateway.accountId, gateway.id, { cost: 0 })),
        store.database.run(deleteGateway, deletionOf(gateway)),
      ]);
      assert.equal(deletion.kind, stored.kind === "stored" ? "draining" : "deleted");
      assert.ok(stored.kind === "stored" || stored.kind === "gateway_gone");
    }
  });

  test("of several gateways of a send, one that is gone refuses the whole", async () => {
    const store = open();
    const [one, gone] = [await made(store), await made(store)];
    await store.database.run(deleteGateway, deletionOf(gone));
    const send = sendOf(one.accountId, one.id, { count: 2, cost: 0 });
    const messages = send.messages.map((message, i) =>
      i === 0 ? message : { ...message, gateway_id: gone.id },
    );
    assert.deepEqual(await store.database.run(storeSends, { ...send, messages }), { kind: "gateway_gone" });
  });

  test("nothing moves to a gateway that is gone", async () => {
    const store = open();
    const [from, gone] = [await made(store), await made(store)];
    await store.database.run(storeSends, sendOf(from.accountId, from.id, { cost: 0 }));
    await store.database.run(deleteGateway, deletionOf(gone));
    const move = {
      from: from.id,
      to: gone.id,
      contents: ["text"] as const,
      limit: 10,
      at: now,
      detail: "Moved.",
    };
    assert.equal(await store.database.run(moveToDefault, move), 0);
  });
});
