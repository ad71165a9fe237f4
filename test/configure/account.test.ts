// Accounts and their keys, as the provisioning file and the command line make and change them.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import {
  type AccountChanges,
  accountChanges,
  accountInput,
  createAccount,
  issueApiKey,
  updateAccount,
} from "#configure/account.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findAccount, findAccountByKey, readCredits } from "#store/accounts/accounts.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
before(async () => {
  open = await openConfiguring();
});
after(() => open.close());

const faultsOf = (input: object) => {
  const result = accountInput.safeParse({ name: "acme", ...input });
  return result.success
    ? []
    : result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
};

test("every field arrives in its column", async () => {
  const id = await upsertAccount(
    open.deps,
    accountInput.parse({
      name: "acme",
      time_zone: "Europe/Berlin",
      country: "DE",
      plan: {
        name: "basic",
        expires_at: "2027-01-01T01:00:00+01:00",
        credit: { sms: 5, email: null },
        renews: "monthly",
      },
      rate_limit: { requests_per_minute: 60 },
      lateness_ms: 60_000,
      channel_failover: true,
      attachments: { max_files: 3 },
    }),
  );
  assert.match(id, /^acc_/);
  const account = await open.deps.database.run(findAccount, id);
  const now = open.deps.clock.now();
  assert.deepEqual(account, {
    id,
    name: "acme",
    time_zone: "Europe/Berlin",
    country: "DE",
    plan_name: "basic",
    plan_expires_at: Date.UTC(2027, 0, 1),
    requests_per_minute: 60,
    lateness_ms: 60_000,
    channel_failover: 1,
    attachment_files: 3,
    attachment_bytes: 10_485_760,
    ai_budget: null,
    revision: 1,
    created_at: now,
    updated_at: now,
    gateways: [],
  });
  const credits = await open.deps.database.run(readCredits, id);
  assert.deepEqual(
    credits.map(({ channel, allowance, remaining, renews }) => [channel, allowance, remaining, renews]),
    [["sms", 5, 5, "monthly"]],
  );
  assert.equal(open.deps.notified.accounts, 1);
});

test("a name alone is an account in UTC, without bounds", async () => {
  const id = await upsertAccount(open.deps, accountInput.parse({ name: "plain" }));
  const account = await open.deps.database.run(findAccount, id);
  assert.deepEqual(
    [
      account?.time_zone,
      account?.country,
      account?.plan_name,
      account?.plan_expires_at,
      account?.requests_per_minute,
    ],
    ["UTC", null, "unlimited", null, null],
  );
  assert.deepEqual(await open.deps.database.run(readCredits, id), []);
});

test("the same name is the same account, changed", async () => {
  const first = await upsertAccount(
    open.deps,
    accountInput.parse({ name: "same", plan: { name: "a", credit: { sms: 9 } } }),
  );
  await open.deps.clock.advance(5000);
  const second = await upsertAccount(open.deps, accountInput.parse({ name: "same", country: "AT" }));
  assert.equal(second, first);
  const account = await open.deps.database.run(findAccount, first);
  assert.equal(account?.country, "AT");
  assert.equal(account.updated_at - account.created_at, 5000);
  assert.deepEqual(await open.deps.database.run(readCredits, first), [], "no credit named: unlimited");
});

test("wrong values are refused, each in its place", () => {
  const cases: [object, string][] = [
    [{ name: "" }, "name: "],
    [{ time_zone: "Mars/Olympus" }, "time_zone: is not a time zone of the IANA database"],
    [{ country: "de" }, "country: must be two capital letters"],
    [{ plan: {} }, "plan.name: "],
    [{ plan: { name: "x", expires_at: "tomorrow" } }, "plan.expires_at: "],
    [{ plan: { name: "x", credit: { sms: -1 } } }, "plan.credit.sms: "],
    [{ plan: { name: "x", credit: { sms: 1.5 } } }, "plan.credit.sms: "],
    [{ plan: { name: "x", credit: { fax: 1 } } }, "plan.credit: "],
    [{ plan: { name: "x", renews: "daily" } }, "plan.renews: "],
    [{ rate_limit: { requests_per_minute: 0 } }, "rate_limit.requests_per_minute: "],
    [{ timezone: "UTC" }, ': Unrecognized key: "timezone"'],
  ];
  for (const [input, start] of cases) {
    const faults = faultsOf(input);
    assert.ok(faults.length === 1 && faults[0]!.startsWith(start), `${JSON.stringify(input)}: ${faults}`);
  }
  assert.equal(faultsOf({ time_zone: "Mars/Olympus", country: "de", extra: 1 }).length, 3, "all at once");
});

test("a key is made or given, looked up by its hash, and kept sealed only if it may be shown", async () => {
  const { database, sealer } = open.deps;
  const id = await upsertAccount(open.deps, accountInput.parse({ name: "keys" }));
  const made = await issueApiKey(open.deps, id);
  assert.match(made, /^tl_[\w-]{43}$/);
  assert.equal((await database.run(findAccountByKey, hashSecret(made)))?.id, id);
  const sealed = () => open.query("select sealed from api_keys where account_id = ?", id)[0]?.sealed;
  assert.equal(sealer.unseal(String(sealed()), `api_keys ${id} sealed`), made);
  assert.ok(!open.dump().includes(made));
  const apiKey = "tl_0123456789abcdef0123456789abcdef";
  assert.equal(await issueApiKey({ ...open.deps, showApiKeys: false }, id, { apiKey }), apiKey);
  assert.equal(sealed(), null);
  assert.equal(await database.run(findAccountByKey, hashSecret(made)), null, "the old one stops working");
  assert.equal((await database.run(findAccountByKey, hashSecret(apiKey)))?.id, id);
});

test("a change is of what is given: the whole input resets what it leaves out, a change does not", async () => {
  const { database } = open.deps;
  const whole = { name: "changing", country: "DE", plan: { name: "basic", credit: { sms: 5 } } };
  const id = await upsertAccount(open.deps, accountInput.parse(whole));
  const change = (changes: object): ReturnType<typeof updateAccount> =>
    updateAccount(open.deps, id, accountChanges.parse(changes) satisfies AccountChanges);
  const notified = { ...open.deps.notified };
  assert.deepEqual(await change({ plan: { name: "more", credit: { email: 2 } } }), { kind: "changed" });
  const account = await database.run(findAccount, id);
  assert.deepEqual([account?.country, account?.plan_name, account?.time_zone], ["DE", "more", "UTC"]);
  const credits = await database.run(readCredits, id);
  assert.deepEqual(credits.map(({ channel, allowance }) => [channel, allowance]).sort(), [
    ["email", 2],
    ["sms", 5],
  ]);
  assert.deepEqual(open.deps.notified, { ...notified, accounts: notified.accounts + 1 });
  await change({ time_zone: "Asia/Tokyo" });
  assert.equal(open.deps.notified.lanes, notified.lanes + 1, "lanes go by the zone");
});

test("a new account takes a free name, and `renews` takes something to renew", async () => {
  const input = accountInput.parse({ name: "fresh" });
  const made = await createAccount(open.deps, input);
  assert.ok(made.kind === "created");
  assert.deepEqual(await createAccount(open.deps, input), {
    kind: "invalid",
    issues: [{ path: ["name"], message: "is taken" }],
  });
  const nothing = accountInput.parse({ name: "other", plan: { name: "p", renews: "monthly" } });
  assert.equal((await createAccount(open.deps, nothing)).kind, "invalid");
  const change = (plan: object) => updateAccount(open.deps, made.id, accountChanges.parse({ plan }));
  assert.equal((await change({ renews: "monthly" })).kind, "invalid");
  assert.equal((await change({ renews: "monthly", credit: { sms: 1 } })).kind, "changed");
  assert.equal((await change({ renews: "monthly", credit: { sms: null } })).kind, "invalid");
  assert.equal((await change({ renews: "monthly" })).kind, "changed");
});
