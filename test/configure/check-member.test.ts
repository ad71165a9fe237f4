// With what a member is checked: stored settings, their changes, or new ones; nothing is stored.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { memberToCheck } from "#configure/check-member.ts";
import { members } from "#configure/pool-member.ts";
import { checkMemberRequest } from "#contract/manage/pools/check.ts";
import { memberFields } from "#contract/manage/pools/members.ts";
import { mask } from "#settings/secrets.ts";
import { makePool } from "../store/pool-rows.ts";
import { type Configuring, openConfiguring } from "./deps.ts";

let it: Configuring;
before(async () => {
  it = await openConfiguring();
});
after(() => it.close());

test("changes stand over what is stored, and nothing of it is stored", async () => {
  const { accountId, poolId } = await makePool(it.deps.database);
  const of = { accountId, poolId };
  const settings = { base_url: "https://one.test/v1", api_key: "sk-stored" };
  const fields = memberFields.parse({ name: "m", kind: "openai-compatible", models: ["m"], settings });
  const saved = await members.create(it.deps, of, fields);
  assert.ok(saved.kind === "saved");
  const before = it.dump();
  const read = async (input: object) => {
    const found = await memberToCheck(it.deps, of, checkMemberRequest.parse(input));
    return found?.kind === "ready" ? (found.settings as Record<string, unknown>) : null;
  };
  const member = saved.id;
  assert.equal((await read({ member }))?.api_key, "sk-stored");
  assert.equal((await read({ member, settings: { api_key: mask } }))?.api_key, "sk-stored");
  assert.equal((await read({ member, settings: { api_key: "sk-new" } }))?.api_key, "sk-new");
  assert.equal((await read({ kind: "openai-compatible", settings }))?.base_url, settings.base_url);
  assert.equal(await read({ member: "mem_none" }), null);
  assert.equal(
    await memberToCheck(it.deps, { ...of, accountId: "acc_x" }, checkMemberRequest.parse({})),
    null,
  );
  assert.equal(it.dump(), before);
});
