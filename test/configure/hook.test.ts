// Hooks are made with a key that is shown once, and changed from the revision that was read.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { accountInput } from "#configure/account.ts";
import { createHook, hookIssues, hooks, rotateHook, upsertHook } from "#configure/hook.ts";
import { hookFields } from "#contract/hooks/hooks.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findHookByKey, readHooks } from "#store/hooks/hooks.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let accountId: string;
beforeEach(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
});
afterEach(() => open.close());

const fields = (more: object = {}) =>
  hookFields.parse({ name: "alerts", channel: "sms", to: ["+4915123456789"], message: "{{a}}", ...more });
const byKey = (key: string | null) => open.deps.database.run(findHookByKey, hashSecret(key ?? ""));

test("a generated key opens the hook until it is rotated, and is stored nowhere", async () => {
  const made = await createHook(open.deps, accountId, fields());
  assert.ok(made.kind === "saved" && made.key !== null);
  assert.equal((await byKey(made.key))?.hook.id, made.id);
  const rotated = await rotateHook(open.deps, accountId, made.id);
  assert.deepEqual([await byKey(made.key), (await byKey(rotated?.key ?? null))?.hook.id], [null, made.id]);
  const texts = [made.key, made.secret!, rotated!.key, rotated!.secret];
  assert.equal(new Set(texts).size, 4);
  for (const text of texts) assert.ok(!open.dump().includes(text));
  assert.equal(await rotateHook(open.deps, accountId, "hook_none"), null);
});

test("a change keeps the key and what was received; without a preset a hook keeps its own template", async () => {
  const made = await createHook(open.deps, accountId, fields());
  assert.ok(made.kind === "saved");
  const update = (changes: object) => hooks.update(open.deps, { accountId }, made.id, changes);
  assert.equal((await update({ per_minute: 5 })).kind, "saved");
  assert.equal((await byKey(made.key))?.hook.revision, 2);
  const refused = await update({ message: null });
  assert.deepEqual(refused, {
    kind: "invalid",
    issues: [{ path: ["message"], message: "is required without a preset" }],
  });
  assert.equal((await update({ message: null, preset: "github", revision: 1 })).kind, "overtaken");
  assert.equal((await update({ message: null, preset: "github", revision: 2 })).kind, "saved");
});

test("an entry of the file finds its hook by its name, and faults before there is an account", async () => {
  const first = await upsertHook(open.deps, accountId, fields());
  const again = await upsertHook(open.deps, accountId, fields({ to: ["+4915123456780"] }));
  assert.ok(first.kind === "saved" && again.kind === "saved");
  assert.deepEqual([again.id, again.key], [first.id, null]);
  const [row] = await open.deps.database.run(readHooks, { accountId, id: null });
  assert.deepEqual(JSON.parse(row!.rules).to, ["+4915123456780"]);
  const coming = [{ identifier: "sms-main", channel: "sms" }];
  const named = fields({ gateway_identifier: "sms-main" });
  assert.deepEqual(await hookIssues(open.deps, null, named, coming), []);
  assert.equal((await hookIssues(open.deps, null, named, [])).length, 1);
});
