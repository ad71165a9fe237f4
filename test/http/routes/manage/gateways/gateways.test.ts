// Gateways through the management API: all that the provisioning file can do, and no secret comes back out.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { providerSettings, takes } from "../../../../scenarios/provider.ts";
import { createdBy, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let account: { id: string; key: string };
let path: string;
before(async () => {
  m = await managed({ respond: takes });
  account = await m.it.account();
  path = `/accounts/${account.id}/gateways`;
});
after(() => m.close());

interface Shown {
  identifier: string;
  default: boolean;
  active: boolean;
  state: string;
  settings: Record<string, unknown>;
  pace: Record<string, unknown>;
  waiting: number;
  callback_url: string | null;
}

const http = { channel: "sms", kind: "http-api", settings: providerSettings };
const create = async (input: object) => await createdBy<Shown>(m.operator, path, { ...http, ...input });
const patch = (identifier: string, change: object) => m.operator("PATCH", `${path}/${identifier}`, change);
const show = async (identifier: string) => dataOf<Shown>(await m.operator("GET", `${path}/${identifier}`));

test("a gateway is made and shown, its secrets masked and its template fields not", async () => {
  const made = await create({
    identifier: "made",
    default: true,
    pace: { per_second: 5, hours: "08:00-20:00" },
  });
  assert.deepEqual(made.settings, {
    url: "••••",
    method: "POST",
    headers: { authorization: "••••" },
    body: { to: "{{to}}", text: "{{message}}", ref: "{{id}}" },
    encoding: "json",
    success: { status: "2xx", reference: "$.id", deferred: [], refused: [] },
    definite: [],
    callback: { ...providerSettings.callback, token: "••••" },
    timeout_ms: 30_000,
  });
  assert.deepEqual(made.pace, {
    per_second: 5,
    concurrency: 8,
    jitter_ms: 0,
    per_day: null,
    hours: "08:00-20:00",
  });
  assert.deepEqual([made.default, made.active, made.state, made.waiting], [true, true, "active", 0]);
  assert.equal(made.callback_url, "https://trunkline.test/callbacks/made");
  assert.deepEqual(await show("made"), made);
  const list = dataOf<Shown[]>(await m.operator("GET", path));
  assert.deepEqual(list, [made]);
});

test("an identifier that anybody has is taken, and faults are reported by field", async () => {
  await create({ identifier: "mine" });
  const again = await m.operator("POST", path, { ...http, identifier: "mine" });
  const other = await m.it.account({ name: "other" });
  m.it.as(account);
  const theirs = await m.operator("POST", `/accounts/${other.id}/gateways`, { ...http, identifier: "mine" });
  for (const reply of [again, theirs]) assert.deepEqual(reply.json().errors, { identifier: ["is taken"] });
  const bad = { identifier: "a b", channel: "sms", kind: "sandbox", settings: {}, pace: { concurrency: 0 } };
  const faults = (await m.operator("POST", path, bad)).json().errors;
  assert.deepEqual(Object.keys(faults).sort(), ["identifier", "pace.concurrency"]);
  const inside = await m.operator("POST", path, {
    ...http,
    identifier: "bad",
    settings: { ...providerSettings, url: "http://127.0.0.1/" },
  });
  assert.match(inside.json().errors["settings.url"][0], /TRUNKLINE_OUTBOUND_ALLOW/);
  const masked = { ...providerSettings, headers: { authorization: "••••" } };
  const nothing = await m.operator("POST", path, { ...http, identifier: "bad", settings: masked });
  assert.deepEqual(Object.keys(nothing.json().errors), ["settings.headers.authorization"]);
});

test("what comes back masked stays as it is: the whole answer can be sent as a change", async () => {
  const made = await create({ identifier: "round", pace: { per_day: 7 }, on_unknown: "resend" });
  const { settings, pace } = made;
  dataOf(await patch("round", { settings, pace }));
  assert.deepEqual({ ...(await show("round")), updated_at: "" }, { ...made, revision: 2, updated_at: "" });
  await m.it.accepted([{ number: "+4915123456789", message: "hi", gateway_identifier: "round" }]);
  await m.it.settle();
  const sent = m.it.requests.at(-1)!;
  assert.equal(sent.url, providerSettings.url);
  assert.equal(sent.headers?.authorization, "Bearer provider-key");
});

test("a change is of the given fields alone", async () => {
  const made = await create({ identifier: "part", pace: { per_second: 5, per_day: 9 }, on_unknown: "hold" });
  const changed = dataOf<Shown>(
    await patch("part", { pace: { per_day: null }, settings: { definite: [503], callback: null } }),
  );
  assert.deepEqual(changed.pace, { ...made.pace, per_day: null });
  const { callback: _callback, ...rest } = made.settings;
  assert.deepEqual(changed.settings, { ...rest, definite: [503] });
  assert.deepEqual(
    { ...changed, pace: 0, settings: 0, updated_at: 0 },
    // Its day is no longer bounded.
    { ...made, pace: 0, today: null, settings: 0, revision: 2, updated_at: 0 },
  );
  assert.equal((await patch("part", { identifier: "new" })).statusCode, 422);
  assert.equal((await patch("part", { channel: "email" })).statusCode, 422);
});

test("a stored secret cannot be sent to another server by changing the address alone", async () => {
  await create({ identifier: "carry" });
  const url = "https://elsewhere.test/send";
  const refused = await patch("carry", { settings: { url } });
  assert.equal(refused.statusCode, 422);
  const faults = Object.keys(refused.json().errors);
  assert.ok(faults.includes("settings.headers.authorization") && faults.includes("settings.callback.token"));
  const masks = { url, headers: { authorization: "••••" }, body: providerSettings.body, callback: null };
  assert.deepEqual(Object.keys((await patch("carry", { settings: masks })).json().errors), [
    "settings.headers.authorization",
  ]);
  const whole = { url, headers: { authorization: "new" }, body: providerSettings.body, callback: null };
  assert.equal((await patch("carry", { settings: whole })).statusCode, 200);
  const samePlace = { url: "https://elsewhere.test/other" };
  assert.equal((await patch("carry", { settings: samePlace })).statusCode, 200, "the same server");
});

test("another kind starts from nothing, and a gateway can be switched off", async () => {
  await create({ identifier: "kind" });
  const sandbox = dataOf<Shown>(await patch("kind", { kind: "sandbox", active: false }));
  assert.deepEqual([sandbox.settings, sandbox.active, sandbox.state], [{}, false, "off"]);
});

test("another account's gateway is as if there were none, for operators in the wrong account too", async () => {
  await create({ identifier: "private" });
  const other = await m.it.account({ name: "stranger" });
  m.it.as(account);
  const member = await m.member(other.id);
  const missing = await member("GET", `/accounts/${other.id}/gateways/nothing`);
  const attempts = [
    ["GET", ""],
    ["PATCH", "", { active: false }],
    ["DELETE", ""],
    ["POST", "/pause"],
    ["POST", "/resume"],
    ["POST", "/default"],
    ["POST", "/test", { to: "+4915123456789" }],
  ] as const;
  for (const [method, action, body] of attempts) {
    for (const ask of [member, m.operator]) {
      const reply = await ask(method, `/accounts/${other.id}/gateways/private${action}`, body);
      assert.deepEqual([reply.statusCode, reply.body], [404, missing.body], `${method} ${action}`);
    }
    const direct = await member(method, `${path}/private${action}`, body);
    assert.deepEqual([direct.statusCode, direct.body], [404, missing.body], `${method} ${action}`);
  }
  assert.equal((await show("private")).active, true);
});
