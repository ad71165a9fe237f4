// Gateways that drain are deleted when their last message has ended, and only then; those that cache them hear of it.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { upsertGateway } from "#configure/gateway.ts";
import { deleteGateway } from "#configure/gateway-actions.ts";
import { gatewayFields } from "#contract/manage/gateways.ts";
import { deleteDrained } from "#messaging/deliver/drain.ts";
import { findGateway } from "#store/gateways/gateways.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { onChanges } from "../../changes.ts";
import { type Configuring, openConfiguring } from "../../configure/deps.ts";
import { upsertAccount } from "../../configure/upsert-account.ts";
import { sendOf } from "../../store/rows.ts";

let open: Configuring;
before(async () => {
  open = await openConfiguring();
});
after(() => open.close());

async function drained(identifier: string, waiting: number) {
  const accountId = await upsertAccount(open.deps, accountInput.parse({ name: identifier }));
  const input = gatewayFields.parse({ identifier, channel: "sms", kind: "sandbox" });
  const made = await upsertGateway(open.deps, accountId, input);
  assert.ok(made.kind === "saved");
  const send = sendOf(accountId, made.id, { count: waiting });
  await open.deps.database.run(storeSends, send);
  assert.equal(
    ((await deleteGateway(open.deps, accountId, identifier)) as { kind: string }).kind,
    "draining",
  );
  return { accountId, input, id: made.id, ids: send.messages.map(({ id }) => id) };
}

test("with its last message goes the gateway, and the caches hear of it", async () => {
  const { accountId, id, ids } = await drained("leaving", 2);
  const { database } = open.deps;
  const emitted: string[] = [];
  const turn = async () => {
    const end = onChanges(database, {
      accounts: () => void emitted.push("accounts"),
      lanes: () => void emitted.push("lanes"),
      topic: (subject, topic) => void emitted.push(`${topic} of ${subject}`),
    });
    await deleteDrained(open.deps);
    end();
  };
  const end = (message: string) =>
    database.run(cancelMessage, { accountId, channel: null, id: message, details: { at: 1, detail: "" } });
  await turn();
  await end(ids[0]!);
  await turn();
  assert.deepEqual(emitted, []);
  assert.ok(await database.run(findGateway, id));
  await end(ids[1]!);
  await turn();
  assert.equal(await database.run(findGateway, id), null);
  assert.deepEqual(emitted, ["accounts", "lanes", `gateways of ${accountId}`]);
  await turn();
  assert.equal(emitted.length, 3);
});

test("the entry of the provisioning file, changed while it drains, keeps it", async () => {
  const { accountId, input, id } = await drained("wanted", 1);
  const kept = await upsertGateway(open.deps, accountId, { ...input, default: true });
  assert.deepEqual(kept, { kind: "saved", id });
  assert.equal((await open.deps.database.run(findGateway, id))?.draining_at, null);
});
