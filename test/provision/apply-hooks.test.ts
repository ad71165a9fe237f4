// Hooks in the provisioning file: made once with their key, changed with the file, and faults that name their place.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { applyProvision } from "#provision/apply.ts";
import { provisionFile } from "#provision/file.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findHookByKey } from "#store/hooks/hooks.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";

let open: Configuring;
beforeEach(async () => {
  open = await openConfiguring();
});
afterEach(() => open.close());

const api_key = "tl_0123456789abcdef0123456789abcdef";
const gateways = [{ identifier: "sms-main", channel: "sms", kind: "sandbox" }];
const hook = { name: "alerts", preset: "alertmanager", channel: "sms", to: ["+4915123456789"] };
const apply = (hooks: object[], name = "acme") =>
  applyProvision(open.deps, provisionFile.parse({ accounts: [{ name, api_key, gateways, hooks }] }));

test("a hook is made with its gateway of the same file, its key is shown once, and again nothing changes", async () => {
  const entry = { ...hook, gateway_identifier: "sms-main" };
  const { errors, made } = await apply([entry]);
  assert.deepEqual(errors, []);
  assert.deepEqual(
    made.map(({ what }) => what),
    ["Key of hook alerts of account acme"],
  );
  const key = made[0]!.secret;
  const before = open.dump();
  assert.ok(!before.includes(key) && !open.deps.log.text().includes(key));
  await open.deps.clock.advance(60_000);
  assert.deepEqual(await apply([entry]), { errors: [], made: [] });
  assert.equal(open.dump(), before);
  assert.deepEqual(await apply([{ ...entry, per_minute: 5 }]), { errors: [], made: [] });
  const found = await open.deps.database.run(findHookByKey, hashSecret(key));
  assert.equal(JSON.parse(found!.hook.rules).per_minute, 5);
});

test("a key of the file opens the hook, and another one replaces it", async () => {
  const keys = ["a-key-of-Someone-4711-xyz", "another-key-of-Someone-0815"];
  for (const key of keys) assert.deepEqual(await apply([{ ...hook, key }]), { errors: [], made: [] });
  const [old, current] = await Promise.all(
    keys.map((key) => open.deps.database.run(findHookByKey, hashSecret(key))),
  );
  assert.deepEqual([old, current?.hook.name], [null, "alerts"]);
});

test("faults name the hook, and nothing is applied", async () => {
  const { errors } = await apply([
    { ...hook, preset: null },
    { ...hook, name: "second", gateway_identifier: "none" },
  ]);
  assert.deepEqual(errors, [
    "account acme: hook alerts: message: is required without a preset",
    "account acme: hook second: gateway_identifier: is no sms gateway of the account",
  ]);
  assert.equal(open.query("select id from hooks").length, 0);
});
