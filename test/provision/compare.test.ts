// What a file would change: by entry and field, without a value, and nothing where it says what there is.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { applyProvision } from "#provision/apply.ts";
import { compareProvision } from "#provision/compare.ts";
import { checkProvisionFile } from "#provision/file.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";

let open: Configuring;
beforeEach(async () => {
  open = await openConfiguring();
});
afterEach(() => open.close());

const keyOf = (name: string) => `tl_${name}_0123456789abcdef0123456789abcdef`;
const twilio = (auth_token: string) => ({
  identifier: "sms-main",
  channel: "sms",
  kind: "twilio",
  settings: { account_sid: `AC${"0".repeat(32)}`, auth_token, from: "+15550100" },
});
const member = { name: "one", kind: "sandbox", models: ["echo"] };
const poolKey = { name: "app", key: keyOf("pool"), budget: { cost_per_month: 5 } };
const hook = {
  name: "alerts",
  key: keyOf("hook"),
  channel: "sms",
  to: ["+15550000001"],
  message: "{{title}}",
};
const acme = {
  name: "acme",
  api_key: keyOf("acme"),
  country: "DE",
  plan: { name: "basic", expires_at: "2031-01-01T01:00:00+01:00", credit: { sms: 7 }, renews: "monthly" },
  ai_budget: { cost_per_month: 9 },
  gateways: [
    twilio("first-token"),
    { identifier: "sim-2", channel: "sms", kind: "android", settings: { phone: "sim-1" } },
    { identifier: "sim-1", channel: "sms", kind: "android" },
  ],
  webhooks: [{ url: "https://hook.test", events: ["*"] }],
  hooks: [hook],
  pools: [{ name: "default", members: [member], keys: [poolKey] }],
};
const ci = { name: "ci", token: keyOf("token"), role: "operator" };

function fileOf(accounts: object[], management_tokens: object[] = [ci]) {
  const read = checkProvisionFile({ accounts, management_tokens });
  assert.ok("file" in read);
  return read.file;
}
const changesOf = async (accounts: object[], tokens?: object[]) => {
  const { errors, changes } = await compareProvision(open.deps, fileOf(accounts, tokens));
  assert.deepEqual(errors, []);
  return changes;
};

test("each field of each entry that differs is named, and no value", async () => {
  await applyProvision(open.deps, fileOf([acme]));
  const cases: [account: object, changes: string[]][] = [
    [{}, []],
    // Other words for the same.
    [{ plan: { ...acme.plan, expires_at: "2031-01-01T00:00:00Z" }, rate_limit: null }, []],
    [{ webhooks: [{ url: "https://HOOK.test/", events: ["*"] }] }, []],
    [{ hooks: [{ ...hook, key: undefined, missing: "" }] }, []],
    [{ api_key: undefined, lateness_ms: 259_200_000 }, []],
    // What a file does not name stays.
    [{ gateways: [], webhooks: [], hooks: [], pools: [] }, []],
    [{ country: undefined }, ["changed: account acme (country)"]],
    [{ plan: { ...acme.plan, credit: { sms: 8 } } }, ["changed: account acme (plan.credit)"]],
    [{ api_key: keyOf("another") }, ["changed: account acme (api_key)"]],
    [{ gateways: [twilio("second-token")] }, ["changed: gateway sms-main (settings.auth_token)"]],
    [{ gateways: [{ ...twilio("first-token"), active: false }] }, ["changed: gateway sms-main (active)"]],
    [{ gateways: [{ ...twilio("x"), identifier: "sms-new" }] }, ["new: gateway sms-new"]],
    [{ sending_domains: [{ domain: "example.com" }] }, ["new: account acme: sending domain example.com"]],
    [
      { webhooks: [{ url: "https://hook.test", events: ["message.*"] }, { url: "https://other.test" }] },
      ["changed: account acme: webhooks.0 (events)", "new: account acme: webhooks.1"],
    ],
    [{ hooks: [{ ...hook, missing: null }] }, ["changed: account acme: hook alerts (missing)"]],
    [
      {
        pools: [
          {
            name: "default",
            deadline_ms: 9_000,
            members: [
              { ...member, weight: 2 },
              { ...member, name: "two" },
            ],
            keys: [{ ...poolKey, models: ["echo"] }, { name: "new" }],
          },
        ],
      },
      [
        "changed: account acme: pool default (deadline_ms)",
        "changed: account acme: pool default: member one (weight)",
        "new: account acme: pool default: member two",
        "changed: account acme: pool default: key app (models)",
        "new: account acme: pool default: key new",
      ],
    ],
    [
      { name: "second", api_key: keyOf("b"), gateways: [], webhooks: [], hooks: [], pools: [] },
      ["new: account second"],
    ],
  ];
  for (const [change, changes] of cases)
    assert.deepEqual(await changesOf([{ ...acme, ...change }]), changes, JSON.stringify(change));
  assert.deepEqual(
    await changesOf(
      [],
      [
        { ...ci, scopes: ["messages:read"] },
        { ...ci, name: "b", token: keyOf("t2") },
      ],
    ),
    ["changed: management token ci (scopes)", "new: management token b"],
  );
});

test("a comparison changes nothing, and one of a file with errors has these alone", async () => {
  await applyProvision(open.deps, fileOf([acme]));
  const before = open.dump();
  await changesOf([{ ...acme, country: "FR" }]);
  const wrong = { ...acme, country: "FR", gateways: [{ ...twilio("x"), settings: {} }] };
  const { errors, changes } = await compareProvision(open.deps, fileOf([wrong]));
  assert.ok(errors.some((error) => error.startsWith("gateway sms-main: settings.auth_token")));
  assert.deepEqual(changes, []);
  assert.equal(open.dump(), before);
});
