// Messages on a switched-off gateway: those that named none move to the channel's default, the others wait.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput, configureAccount } from "#configure/account.ts";
import { configureGateway, type GatewayInput, gatewayInput } from "#configure/gateway.ts";
import { rescueOnce, rescueStranded } from "#configure/stranded.ts";
import { storeSends } from "#store/accept.ts";
import type { Database } from "#store/database.ts";
import { sendOf } from "../store/rows.ts";
import { type Configuring, openConfiguring } from "./parts.ts";

let open: Configuring;
before(async () => {
  open = await openConfiguring();
});
after(() => open.close());

async function gateway(
  accountId: string,
  identifier: string,
  more: Partial<GatewayInput> = {},
): Promise<string> {
  const input = gatewayInput.parse({ identifier, channel: "sms", kind: "sandbox", ...more });
  const result = await configureGateway(open.parts, accountId, input);
  assert.ok(result.kind === "saved");
  return result.id;
}

const account = (name: string) => configureAccount(open.parts, accountInput.parse({ name }));
const waitingOn = (gatewayId: string) =>
  open.query("select id from messages where gateway_id = ? and due_at is not null", gatewayId).length;

test("those that named no gateway move, and the lane that gets them is woken", async () => {
  const accountId = await account("moving");
  const old = await gateway(accountId, "m-old", { default: true });
  const plain = await gateway(accountId, "m-plain");
  const preferred = await gateway(accountId, "m-default");
  const { database } = open.parts;
  await database.run(storeSends, sendOf(accountId, old, { count: 2500 }));
  await database.run(storeSends, sendOf(accountId, old, { count: 3, each: { named: 1 } }));
  const woken: string[] = [];
  const parts = { ...open.parts, wake: (id: string) => void woken.push(id) };
  await rescueOnce(parts);
  assert.equal(waitingOn(old), 2503, "an active gateway keeps what it has");
  await gateway(accountId, "m-old", { active: false });
  await gateway(accountId, "m-default", { default: true });
  await rescueOnce(parts);
  assert.deepEqual([waitingOn(old), waitingOn(plain), waitingOn(preferred)], [3, 0, 2500]);
  assert.ok(woken.length > 0 && woken.every((id) => id === preferred));
  woken.length = 0;
  await rescueOnce(parts);
  assert.deepEqual(woken, [], "nothing is left to do");
});

test("without another gateway they wait, and move once there is one", async () => {
  const accountId = await account("waiting");
  const only = await gateway(accountId, "w-only", { default: true });
  await open.parts.database.run(storeSends, sendOf(accountId, only));
  await gateway(accountId, "w-only", { active: false });
  await gateway(accountId, "w-email", { channel: "email" });
  const parts = { ...open.parts, wake: () => {} };
  await rescueOnce(parts);
  assert.equal(waitingOn(only), 1);
  const other = await gateway(accountId, "w-other");
  await rescueOnce(parts);
  assert.deepEqual([waitingOn(only), waitingOn(other)], [0, 1]);
});

test("a test message is not sent for real because its sandbox was switched off", async () => {
  const accountId = await account("testing");
  const sandbox = await gateway(accountId, "t-sandbox", { default: true });
  await open.parts.database.run(storeSends, sendOf(accountId, sandbox));
  const real = await gateway(accountId, "t-real", {
    kind: "http-api",
    settings: { url: "https://sms.example.com/", body: { to: "{{to}}", text: "{{message}}" } },
  });
  await gateway(accountId, "t-sandbox", { active: false });
  const parts = { ...open.parts, wake: () => {} };
  await rescueOnce(parts);
  assert.deepEqual([waitingOn(sandbox), waitingOn(real)], [1, 0]);
});

test("it looks again and again, lives through a fault of the storage, and stops when told", async () => {
  const stop = new AbortController();
  let looks = 0;
  const failing: Database = {
    ...open.parts.database,
    run: async (operation, input) => {
      looks += 1;
      if (looks === 1) throw new Error("lost for a moment");
      return await open.parts.database.run(operation, input);
    },
  };
  const { clock, log } = open.parts;
  const running = rescueStranded({ database: failing, clock, log, wake: () => {} }, 1000, stop.signal);
  while (clock.sleeping() === 0) await clock.settle();
  const before = looks;
  await clock.advance(1000);
  while (clock.sleeping() === 0) await clock.settle();
  assert.ok(looks > before);
  assert.match(log.text(), /could not be moved/);
  stop.abort();
  await running;
});
