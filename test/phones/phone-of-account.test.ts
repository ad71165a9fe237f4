// The phone that a gateway of another SIM names: one of its own account, in what is created and in what is changed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Managed, managed } from "../http/routes/manage/managed.ts";

let m: Managed;
before(async () => {
  m = await managed();
});
after(() => m.close());

test("a gateway names a phone of its own account alone, and another account's is refused like an id without a phone", async () => {
  const { it, operator } = m;
  await it.account({ name: "theirs" });
  const phoneOfOther = await it.gateway({ identifier: "theirs", kind: "android" });
  const { id: accountId } = await it.account({ name: "ours" });
  const ownPhone = await it.gateway({ identifier: "own", kind: "android" });
  const notAPhone = await it.gateway({ identifier: "sandbox", kind: "sandbox" });
  const path = `/accounts/${accountId}/gateways`;
  const create = (identifier: string, phone: string) =>
    operator("POST", path, { identifier, channel: "sms", kind: "android", settings: { phone, sim: 2 } });
  for (const phone of [phoneOfOther, notAPhone, "gw_unknown"]) {
    const reply = await create("second", phone);
    assert.equal(reply.statusCode, 422, phone);
    assert.deepEqual(Object.keys(reply.json().errors), ["settings.phone"]);
    assert.match(reply.json().errors["settings.phone"][0], /^is no phone of this account/);
  }
  assert.equal((await create("second", ownPhone)).statusCode, 201);
  const change = (settings: object) => operator("PATCH", `${path}/second`, { settings });
  assert.equal((await change({ phone: phoneOfOther })).statusCode, 422);
  assert.equal((await change({ sim: 1 })).statusCode, 200);
  assert.equal((await change({ phone: ownPhone })).statusCode, 200);
  assert.equal((await change({ phone: null })).statusCode, 200);
});
