// Applying a provisioning file: what it names appears, what changed in it changes, everything else is left alone.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { accountInput, updateAccount } from "#configure/account.ts";
import { updateWebhook } from "#configure/webhook.ts";
import { applyProvision } from "#provision/apply.ts";
import { provisionFile } from "#provision/file.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findAccountByKey, findAccountByName } from "#store/accounts/accounts.ts";
import { findGatewayByIdentifier, saveGateway } from "#store/gateways/gateways.ts";
import { storeSends } from "#store/messages/insert.ts";
import { listEndpoints } from "#store/webhooks/endpoints.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";
import { upsertAccount } from "../configure/upsert-account.ts";
import { sendOf } from "../store/rows.ts";

let open: Configuring;
beforeEach(async () => {
  open = await openConfiguring();
});
afterEach(() => open.close());

const key = "tl_0123456789abcdef0123456789abcdef";
const other = "tl_fedcba9876543210fedcba9876543210";
const sandbox = { identifier: "sms-main", channel: "sms", kind: "sandbox", default: true };
const acme = {
  name: "acme",
  api_key: key,
  plan: { name: "basic", credit: { sms: 100 } },
  gateways: [sandbox],
};
const apply = (...accounts: object[]) => applyProvision(open.deps, provisionFile.parse({ accounts }));
const fine = { errors: [], made: [] };
const find = async (name = "acme") => {
  const account = await open.deps.database.run(findAccountByName, name);
  assert.ok(account);
  return account;
};

test("what a file names is there afterwards, and applying it again changes nothing", async () => {
  assert.deepEqual(await apply(acme), fine);
  const account = await find();
  assert.equal((await open.deps.database.run(findAccountByKey, hashSecret(key)))?.id, account.id);
  assert.equal(account.gateways[0]?.identifier, "sms-main");
  const before = open.dump();
  await open.deps.clock.advance(60_000);
  assert.deepEqual(await apply(acme), fine);
  assert.equal(open.dump(), before);
});

test("a changed entry is applied, credit that was used stays used", async () => {
  await apply(acme);
  const { id, gateways } = await find();
  await open.deps.database.run(storeSends, sendOf(id, gateways[0]!.id, { count: 40 }));
  await apply({
    ...acme,
    plan: { name: "big", credit: { sms: 150 } },
    gateways: [{ ...sandbox, pace: { per_second: 5 } }],
  });
  const account = await find();
  assert.deepEqual([account.id, account.plan_name], [id, "big"]);
  assert.equal(open.query("select remaining from credits")[0]?.remaining, 110);
  const gateway = await open.deps.database.run(findGatewayByIdentifier, "sms-main");
  assert.equal(JSON.parse(gateway!.rules).pace.per_second, 5);
  assert.equal(gateway!.id, gateways[0]!.id);
});

test("what was changed elsewhere stays so, until its entry changes in the file", async () => {
  await apply(acme);
  await updateAccount(open.deps, (await find()).id, { plan: { name: "by hand" } });
  const gateway = await open.deps.database.run(findGatewayByIdentifier, "sms-main");
  await open.deps.database.run(saveGateway, { ...gateway!, active: 0 });
  await apply(acme);
  assert.equal((await find()).plan_name, "by hand");
  assert.equal((await find()).gateways[0]?.active, 0);
  await apply({ ...acme, country: "DE" });
  assert.equal((await find()).plan_name, "basic", "the account's entry changed");
  assert.equal((await find()).gateways[0]?.active, 0, "the gateway's did not");
});

test("what the file no longer names is left alone", async () => {
  await apply(acme, { ...acme, name: "second", api_key: other, gateways: [] });
  const account = await find();
  assert.deepEqual(await apply({ ...acme, gateways: [] }), fine);
  assert.deepEqual(await apply(), fine);
  assert.deepEqual(await find(), account);
  assert.ok(await find("second"));
  const { api_key: _, ...keyless } = acme;
  assert.deepEqual(await apply(keyless), fine, "a key that left the file still works");
  assert.ok(await open.deps.database.run(findAccountByKey, hashSecret(key)));
});

test("a changed key replaces the old one; a key renewed elsewhere is not put back", async () => {
  await apply(acme);
  await apply({ ...acme, api_key: other });
  assert.equal(await open.deps.database.run(findAccountByKey, hashSecret(key)), null);
  assert.ok(await open.deps.database.run(findAccountByKey, hashSecret(other)));
});

test("without a key a new account gets one, told once; an account that was there keeps its own", async () => {
  const first = await apply({ name: "fresh" });
  assert.equal(first.made.length, 1);
  assert.equal(first.made[0]?.what, "API key of account fresh");
  const made = first.made[0]!.secret;
  assert.equal((await open.deps.database.run(findAccountByKey, hashSecret(made)))?.name, "fresh");
  assert.deepEqual(await apply({ name: "fresh" }), fine);
  await upsertAccount(open.deps, accountInput.parse({ name: "there" }));
  assert.deepEqual(await apply({ name: "there", country: "DE" }), fine);
  assert.equal((await find("there")).country, "DE");
});

test("a file with errors changes nothing at all, and names every one of them", async () => {
  await apply(acme);
  const before = open.dump();
  const { errors, made } = await apply(
    { ...acme, country: "DE" },
    {
      name: "new",
      gateways: [
        sandbox,
        { identifier: "pigeon", channel: "sms", kind: "pigeon" },
        {
          identifier: "inside",
          channel: "sms",
          kind: "http-api",
          settings: { url: "http://127.0.0.1/?k=canary", body: "{{to}}{{message}}", encoding: "form" },
        },
      ],
    },
    { name: "thief", api_key: key },
  );
  assert.deepEqual(made, []);
  assert.deepEqual(
    errors.map((error) => error.replace(/: (127|is no kind).*/, "")),
    [
      "gateway sms-main: identifier: is used by another account",
      "gateway pigeon: kind",
      "gateway inside: settings.url",
      "account thief: api_key: is used by another account",
    ],
  );
  assert.match(errors[2]!, /TRUNKLINE_OUTBOUND_ALLOW/);
  assert.ok(!errors.join().includes("canary"));
  assert.equal(open.dump(), before);
});

test("no secret of a file is in the database in the clear", async () => {
  const canaries = Array.from({ length: 10 }, (_, i) => `canary${i}canary${i}canary${i}canary${i}canary${i}`);
  const [apiKey, urlKey, header, body, token, from, sid, auth, service, second] = canaries as [
    string,
    ...string[],
  ];
  const result = await apply(
    {
      name: "acme",
      api_key: apiKey,
      gateways: [
        {
          identifier: "http",
          channel: "sms",
          kind: "http-api",
          settings: {
            url: `https://api.example.com/send?key=${urlKey}`,
            headers: { authorization: `Bearer ${header}` },
            body: { to: "{{to}}", text: "{{message}}", password: body, from: "{{from}}" },
            from,
            callback: { token, reference: "$.id", status: "$.state" },
          },
        },
        {
          identifier: "twilio",
          channel: "sms",
          kind: "twilio",
          settings: { account_sid: `AC${sid}`, auth_token: auth, messaging_service_sid: `MG${service}` },
        },
      ],
    },
    { name: "second", api_key: second },
  );
  assert.deepEqual(result, fine);
  const dump = open.dump();
  assert.ok(dump.includes("acme") && dump.includes("http-api"), "the dump shows what it should");
  for (const canary of canaries) assert.ok(!dump.includes(canary), canary);
  assert.doesNotMatch(open.deps.log.text(), /canary/);
});

const hook = {
  url: "https://hooks.example.com/trunkline?key=canary-in-the-query",
  secret: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
};
const endpoints = async () => open.deps.database.run(listEndpoints, (await find()).id);

test("webhook endpoints are told apart by their url; a secret that the file does not give is shown once", async () => {
  const { secret: _secret, ...secretless } = hook;
  const first = await apply({ ...acme, webhooks: [secretless] });
  assert.deepEqual(first.errors, []);
  assert.equal(first.made.length, 1);
  assert.match(first.made[0]!.secret, /^whsec_/);
  assert.ok(!first.made[0]!.what.includes("canary"));
  const [endpoint] = await endpoints();
  assert.ok(!open.dump().includes("canary-in-the-query"), "the url is sealed");
  assert.deepEqual(JSON.parse(endpoint!.events), ["message.*"]);
  assert.deepEqual(await apply({ ...acme, webhooks: [secretless] }), fine);
  assert.deepEqual(
    await apply({ ...acme, webhooks: [{ ...hook, name: "Shop", events: ["credit.low"] }] }),
    fine,
  );
  const [changed, ...more] = await endpoints();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [changed!.id, changed!.name, JSON.parse(changed!.events)],
    [endpoint!.id, "Shop", ["credit.low"]],
  );
});

test("an endpoint that was changed elsewhere is left alone while its entry stays as it was", async () => {
  await apply({ ...acme, webhooks: [hook] });
  const [endpoint] = await endpoints();
  const { id: accountId } = await find();
  await updateWebhook(open.deps, accountId, endpoint!.id, { active: false });
  assert.deepEqual(await apply({ ...acme, webhooks: [hook] }), fine);
  assert.equal((await endpoints())[0]!.active, 0);
  assert.deepEqual(await apply({ ...acme, webhooks: [{ ...hook, active: true }] }), fine);
  assert.equal((await endpoints())[0]!.active, 1);
});

test("a url with the mask of the management API is a fault, and not taken for a url", async () => {
  const { errors } = await apply({ ...acme, webhooks: [{ url: "https://hooks.example.com/in?••••" }] });
  assert.equal(errors.length, 1);
  assert.match(errors[0]!, /^account acme: webhooks\.0: url: is masked/);
  assert.equal(await open.deps.database.run(findAccountByName, "acme"), null);
});

test("an endpoint inside is refused before anything is changed, without its url", async () => {
  const { errors } = await apply({ ...acme, webhooks: [{ url: "http://127.0.0.1/?k=canary" }] });
  assert.equal(errors.length, 1);
  assert.match(errors[0]!, /^account acme: webhooks\.0: url: /);
  assert.ok(!errors[0]!.includes("canary"));
  assert.equal(await open.deps.database.run(findAccountByName, "acme"), null);
});

test("management tokens come with their accounts, and a faulty one keeps the file from being applied", async () => {
  const token = "tlm_0123456789abcdef0123456789abcdef";
  const file = (entry: object, accounts: object[] = [acme]) =>
    applyProvision(open.deps, provisionFile.parse({ accounts, management_tokens: [entry] }));
  assert.deepEqual(await file({ name: "ci", token, role: "member", account: "acme" }), fine);
  const [row] = open.query("select name, role, account_id from management_tokens");
  assert.deepEqual({ ...row }, { name: "ci", role: "member", account_id: (await find()).id });
  assert.ok(!open.dump().includes(token));
  assert.deepEqual(await file({ name: "ci", token, role: "operator" }), fine);
  const { errors } = await file({ name: "lost", token: `${token}x`, role: "member", account: "missing" }, [
    { name: "never" },
  ]);
  assert.deepEqual(errors, ["management token lost: account: is not the name of an account"]);
  assert.equal(await open.deps.database.run(findAccountByName, "never"), null);
});

test("what the file changed is in the audit log, once", async () => {
  await apply({ ...acme, webhooks: [hook] });
  await apply({ ...acme, webhooks: [hook] });
  const actions = open.query("select action, actor_kind, outcome from audit_entries order by id");
  assert.deepEqual(
    actions.map(({ action, actor_kind, outcome }) => [action, actor_kind, outcome]),
    ["configureAccount", "configureApiKey", "configureGateway", "configureWebhook"].map((action) => [
      action,
      "provisioning",
      "done",
    ]),
  );
});
