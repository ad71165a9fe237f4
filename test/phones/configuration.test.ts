// What gateways of phones name: a phone of their own account, and a spread gateways of phones, which stay that while they are named.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Managed, managed } from "../http/routes/manage/managed.ts";

let m: Managed;
let path = "";
before(async () => {
  m = await managed();
  await m.it.account({ name: "theirs" });
  await m.it.gateway({ identifier: "their-phone", kind: "android" });
  const { id } = await m.it.account({ name: "ours" });
  path = `/accounts/${id}/gateways`;
  for (const identifier of ["phone-1", "phone-2", "phone-3"])
    await m.it.gateway({ identifier, kind: "android" });
  await m.it.gateway({ identifier: "sandbox", kind: "sandbox" });
  await m.it.gateway({ identifier: "chat", channel: "whatsapp", kind: "sandbox" });
  await m.it.gateway({ identifier: "both", kind: "spread", settings: { members: ["phone-1", "phone-2"] } });
});
after(() => m.close());

test("a member that is no phone of the account is refused by name, in what is created and in what is changed", async () => {
  const members = ["their-phone", "unknown", "chat", "both", "other", "sandbox", "phone-1"];
  const settings = { members };
  const expected = {
    "settings.members.0": ["is no gateway of this account"],
    "settings.members.1": ["is no gateway of this account"],
    "settings.members.2": ["sends whatsapp, and a spread sends sms"],
    "settings.members.3": ["is a spread: its members are gateways of phones"],
    "settings.members.4": ["is a spread: its members are gateways of phones"],
    "settings.members.5": ["is of kind sandbox: members are of kind android"],
  };
  const created = await m.operator("POST", path, {
    identifier: "other",
    channel: "sms",
    kind: "spread",
    settings,
  });
  assert.deepEqual([created.statusCode, created.json().errors], [422, expected]);
  const changed = await m.operator("PATCH", `${path}/both`, { settings: { members: ["both", "unknown"] } });
  assert.deepEqual(Object.keys(changed.json().errors), ["settings.members.0", "settings.members.1"]);
  const empty = await m.operator("PATCH", `${path}/both`, { settings: { members: [] } });
  assert.deepEqual(empty.json().errors, { "settings.members": ["must name a gateway"] });
});

test("a member is neither deleted nor made another kind, until the spread lets it go", async () => {
  const remove = () => m.operator("DELETE", `${path}/phone-2`);
  const refused = await remove();
  assert.equal(refused.statusCode, 409);
  assert.match(refused.body, /Spread both has the gateway as a member/);
  const changed = await m.operator("PATCH", `${path}/phone-2`, { kind: "sandbox", settings: {} });
  assert.deepEqual(changed.json().errors, { kind: ["cannot change: spread both has it as a member"] });
  const letGo = { settings: { members: ["phone-1", "phone-3"] }, active: true };
  assert.equal((await m.operator("PATCH", `${path}/both`, letGo)).statusCode, 200);
  assert.equal((await remove()).statusCode, 200);
});

test("a spread has no link of its own, and is shown with its members", async () => {
  assert.equal((await m.operator("GET", `${path}/both/link`)).statusCode, 404);
  const { data } = (await m.operator("GET", `${path}/both`)).json();
  assert.deepEqual([data.kind, data.state, data.session], ["spread", "active", null]);
  assert.ok(Array.isArray(data.settings.members));
});

test("a gateway names a phone of its own account alone, and another account's is refused like an id without a phone", async () => {
  const { it, operator } = m;
  await it.account({ name: "others" });
  const phoneOfOther = await it.gateway({ identifier: "their-other", kind: "android" });
  const { id: accountId } = await it.account({ name: "own" });
  const ownPhone = await it.gateway({ identifier: "own", kind: "android" });
  const notAPhone = await it.gateway({ identifier: "own-sandbox", kind: "sandbox" });
  const ownPath = `/accounts/${accountId}/gateways`;
  const create = (identifier: string, phone: string) =>
    operator("POST", ownPath, { identifier, channel: "sms", kind: "android", settings: { phone, sim: 2 } });
  for (const phone of [phoneOfOther, notAPhone, "gw_unknown"]) {
    const reply = await create("second", phone);
    assert.equal(reply.statusCode, 422, phone);
    assert.deepEqual(Object.keys(reply.json().errors), ["settings.phone"]);
    assert.match(reply.json().errors["settings.phone"][0], /^is no phone of this account/);
  }
  assert.equal((await create("second", ownPhone)).statusCode, 201);
  const change = (settings: object) => operator("PATCH", `${ownPath}/second`, { settings });
  assert.equal((await change({ phone: phoneOfOther })).statusCode, 422);
  assert.equal((await change({ sim: 1 })).statusCode, 200);
  assert.equal((await change({ phone: ownPhone })).statusCode, 200);
  assert.equal((await change({ phone: null })).statusCode, 200);
});

test("a gateway of another SIM names the gateway of its phone, which is kept until it lets it go", async () => {
  const create = (identifier: string, phone: string) =>
    m.operator("POST", path, { identifier, channel: "sms", kind: "android", settings: { phone, sim: 2 } });
  assert.equal((await create("sim-2", "phone-1")).statusCode, 201);
  const isNoPhone =
    "is no phone of this account: it is the identifier of the gateway to which the phone is linked";
  const refusals: [string, string][] = [
    ["unknown", isNoPhone],
    ["their-phone", isNoPhone],
    ["sandbox", isNoPhone],
    ["sim-3", "names the gateway itself: leave it out"],
    ["sim-2", "names another phone itself: the gateway to which the phone is linked is meant"],
  ];
  for (const [phone, message] of refusals) {
    const { statusCode, body } = await create("sim-3", phone);
    assert.equal(statusCode, 422, phone);
    assert.deepEqual(JSON.parse(body).errors, { "settings.phone": [message] }, phone);
  }
  await m.operator("PATCH", `${path}/both`, { settings: { members: ["phone-3"] } });
  assert.equal((await m.operator("DELETE", `${path}/phone-1`)).statusCode, 409);
  assert.equal((await m.operator("DELETE", `${path}/sim-2`)).statusCode, 200);
  assert.equal((await m.operator("DELETE", `${path}/phone-1`)).statusCode, 200);
});
