// What the steps of applying a file share: the wording of errors, and the memory of what was applied.

import assert from "node:assert/strict";
import test from "node:test";
import { issueLines, recordApplied } from "#provision/entry.ts";
import { readProvisionMarks } from "#store/maintenance/provisioned.ts";
import { openConfiguring } from "../configure/deps.ts";

test("a fault is printed with what it is in and its place there", () => {
  const issues = [{ path: ["settings", 0, "url"], message: "must be a URL" }];
  assert.deepEqual(issueLines("gateway main", issues), ["gateway main: settings.0.url: must be a URL"]);
});

test("what was applied is marked, and in the audit log", async () => {
  const open = await openConfiguring();
  const mark = { kind: "pool", name: "acme main", hash: "abc" };
  await recordApplied(open.deps, mark, "configurePool", null, "pool_1");
  const marks = await open.deps.database.run(readProvisionMarks, null);
  assert.deepEqual([...marks], [["pool acme main", "abc"]]);
  const [line] = open.query("select actor_kind, action, target from audit_entries");
  assert.deepEqual({ ...line }, { actor_kind: "provisioning", action: "configurePool", target: "pool_1" });
  await open.close();
});
