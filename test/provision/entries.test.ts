// Files with many gateways and endpoints: few transactions, the file's order, and no entry half applied.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { applyProvision } from "#provision/apply.ts";
import { provisionFile } from "#provision/file.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import type { Database } from "#store/database.ts";
import { findGatewayByIdentifier, saveGateway } from "#store/gateways/gateways.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";

let open: Configuring;
beforeEach(async () => {
  open = await openConfiguring();
});
afterEach(() => open.close());

const gateways = (count: number, change: (i: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, i) => ({
    identifier: `gw-${i}`,
    channel: "sms",
    kind: "sandbox",
    ...change(i),
  }));
const webhooks = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ url: `https://hook-${i}.test/`, events: ["*"] }));

/** Applies a file of one account, and counts the writes by their operation. */
async function apply(account: object, run: Database["run"] = open.deps.database.run) {
  const writes: Record<string, number> = {};
  const counting: Database["run"] = (operation, input) => {
    if (operation.access === "write") writes[operation.name] = (writes[operation.name] ?? 0) + 1;
    return run(operation, input);
  };
  const deps = { ...open.deps, database: { ...open.deps.database, run: counting } };
  const file = provisionFile.parse({ accounts: [{ name: "acme", api_key: "k".repeat(40), ...account }] });
  return { applied: await applyProvision(deps, file), writes };
}

const count = (table: string) => Number(open.query(`select count(*) as count from ${table}`)[0]?.count);

test("450 gateways and 50 endpoints are saved in four transactions, with their marks and their lines of the audit log", async () => {
  const file = { gateways: gateways(450), webhooks: webhooks(50) };
  const { applied, writes } = await apply(file);
  assert.deepEqual(applied.errors, []);
  assert.equal(applied.made.length, 50, "each endpoint's secret is shown");
  assert.equal(writes.saveProvisioned, 4);
  const others = Object.values({ ...writes, saveProvisioned: 0 }).reduce((sum, one) => sum + one, 0);
  assert.ok(others < 10, `${others} writes of the account's own`);
  assert.deepEqual([count("gateways"), count("webhook_endpoints"), count("lanes")], [450, 50, 500]);
  assert.equal(count("provisioned where kind in ('gateway', 'webhook')"), 500);
  assert.equal(count("audit_entries where action in ('configureGateway', 'configureWebhook')"), 500);
  const again = await apply(file);
  assert.deepEqual([again.applied, again.writes], [{ errors: [], made: [] }, {}]);
});

test("gateways keep the file's order, and of two defaults the last one is it", async () => {
  await apply({ gateways: gateways(300, (i) => ({ default: i === 3 || i === 250 })) });
  const account = await open.deps.database.run(findAccountByName, "acme");
  assert.deepEqual(
    account!.gateways.map(({ identifier }) => identifier),
    gateways(300).map(({ identifier }) => identifier),
  );
  assert.deepEqual(
    account!.gateways.filter(({ is_default }) => is_default === 1).map(({ identifier }) => identifier),
    ["gw-250"],
  );
});

test("what another account took meanwhile is a fault, and the other entries of the piece are applied", async () => {
  await apply({ name: "other", api_key: "o".repeat(40), gateways: [] });
  const other = await open.deps.database.run(findAccountByName, "other");
  const { database } = open.deps;
  let taken = false;
  const { applied } = await apply({ gateways: gateways(3) }, async (operation, input) => {
    if (operation.name === "saveProvisioned" && !taken) {
      taken = true;
      const [first] = input as { save: { row: object } }[];
      const row = { ...first!.save.row, id: "gw_theirs", account_id: other!.id };
      await database.run(saveGateway, row as never);
    }
    return await database.run(operation, input);
  });
  assert.deepEqual(applied.errors, ["gateway gw-0: identifier: is used by another account"]);
  assert.ok(await database.run(findGatewayByIdentifier, "gw-2"));
  assert.equal(count("provisioned where kind = 'gateway'"), 2, "the one with the fault is not marked");
});

test("two spellings of one url are one endpoint", async () => {
  const { applied } = await apply({
    webhooks: [{ url: "https://hook.test" }, { url: "https://hook.test/", events: ["gateway.*"] }],
  });
  assert.deepEqual(applied.errors, []);
  assert.deepEqual(
    open.query("select events from webhook_endpoints").map((row) => ({ ...row })),
    [{ events: '["gateway.*"]' }],
  );
});

test("a spread may stand before its members, and a member that neither the file nor the account has is a fault", async () => {
  const phones = gateways(3, () => ({ kind: "android" }));
  const spread = (...members: string[]) => ({
    identifier: "both",
    channel: "sms",
    kind: "spread",
    settings: { members },
  });
  const { applied } = await apply({ gateways: [spread("gw-0", "gw-2"), ...phones] });
  assert.deepEqual(applied, { errors: [], made: [] });
  assert.deepEqual((await apply({ gateways: [spread("gw-0", "gw-2"), ...phones] })).writes, {});
  const wrong = await apply({ gateways: [spread("gw-0", "unknown"), ...phones] });
  assert.deepEqual(wrong.applied.errors, ["gateway both: settings.members.1: is no gateway of this account"]);
});

test("a file with a phone's two SIMs and a spread of them applies to a fresh installation, in any order", async () => {
  const lines = [
    { identifier: "both", kind: "spread", settings: { members: ["sim-2", "sim-1"] } },
    { identifier: "sim-2", kind: "android", settings: { phone: "sim-1", sim: 2 } },
    { identifier: "sim-1", kind: "android", settings: { sim: 1 } },
  ].map((line) => ({ channel: "sms", ...line }));
  const { applied } = await apply({ gateways: lines });
  assert.deepEqual(applied.errors, []);
  assert.equal(count("gateways"), 3);
  const chained = lines.map((line) =>
    line.identifier === "sim-1" ? { ...line, settings: { phone: "sim-2" } } : line,
  );
  const { errors } = (await apply({ gateways: chained })).applied;
  assert.deepEqual(errors, [
    "gateway sim-1: settings.phone: names another phone itself: the gateway to which the phone is linked is meant",
  ]);
});
