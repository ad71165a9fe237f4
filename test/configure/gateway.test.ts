// Gateways: every wrong value is refused in its place, and what is saved is sealed.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { upsertGateway } from "#configure/gateway.ts";
import { gatewayFields } from "#contract/manage/gateways.ts";
import { findGateway, settingsContext } from "#store/gateways/gateways.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let accountId: string;
before(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
});
after(() => open.close());

const sandbox = { identifier: "sms-test", channel: "sms", kind: "sandbox" } as const;
const httpApi = {
  identifier: "sms-main",
  channel: "sms",
  kind: "http-api",
  settings: { url: "https://api.example.com/send", body: { to: "{{to}}", text: "{{message}}" } },
} as const;
const configure = (input: object, account = accountId) =>
  upsertGateway(open.deps, account, gatewayFields.parse(input));

async function faults(input: object): Promise<string[]> {
  const parsed = gatewayFields.safeParse(input);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const result = await upsertGateway(open.deps, accountId, parsed.data);
  return result.kind === "saved"
    ? []
    : result.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test("a gateway is saved with its rules, and its settings sealed to its row", async () => {
  const before = { ...open.deps.notified };
  const result = await configure({
    ...httpApi,
    default: true,
    settings: { ...httpApi.settings, headers: { authorization: "Bearer canary-token" } },
    pace: { per_second: 20, concurrency: 4, jitter_ms: 10, per_day: 1000, hours: "22:00-06:00" },
    retry: { first_ms: 1000, max_ms: 2000, for_ms: 3000 },
    on_unknown: "resend",
  });
  assert.ok(result.kind === "saved");
  const row = await open.deps.database.run(findGateway, result.id);
  assert.ok(row);
  assert.deepEqual(JSON.parse(row.rules), {
    pace: { per_second: 20, concurrency: 4, jitter_ms: 10, per_day: 1000, hours: "22:00-06:00" },
    retry: { first_ms: 1000, max_ms: 2000, for_ms: 3000 },
    on_unknown: "resend",
  });
  assert.deepEqual([row.active, row.is_default, row.test, row.account_id], [1, 1, 0, accountId]);
  assert.ok(!open.dump().includes("canary-token"));
  const settings = JSON.parse(open.deps.sealer.unseal(row.settings, settingsContext(row.id)));
  assert.equal(settings.headers.authorization, "Bearer canary-token");
  assert.equal(settings.timeout_ms, 30_000, "defaults are saved with them");
  assert.throws(() => open.deps.sealer.unseal(row.settings, settingsContext("gw_other")));
  assert.deepEqual(open.deps.notified, {
    ...before,
    accounts: before.accounts + 1,
    lanes: before.lanes + 1,
  });
});

test("the defaults of a gateway: active, not the default one, eight at once, a day of tries", async () => {
  const result = await configure(sandbox);
  assert.ok(result.kind === "saved");
  const row = await open.deps.database.run(findGateway, result.id);
  assert.deepEqual([row?.active, row?.is_default, row?.test], [1, 0, 1]);
  assert.deepEqual(JSON.parse(row!.rules), {
    pace: { per_second: null, concurrency: 8, jitter_ms: 0, per_day: null, hours: null },
    retry: { first_ms: 5000, max_ms: 900_000, for_ms: 86_400_000 },
    on_unknown: null,
  });
});

test("an identifier that is there is changed, not doubled; its channel and account stay", async () => {
  const first = await configure({ ...sandbox, identifier: "changing" });
  const second = await configure({ ...sandbox, identifier: "changing", active: false });
  assert.ok(first.kind === "saved" && second.kind === "saved");
  assert.equal(second.id, first.id);
  assert.equal((await open.deps.database.run(findGateway, first.id))?.active, 0);
  assert.deepEqual(await faults({ ...sandbox, identifier: "changing", channel: "email" }), [
    "channel: of an existing gateway cannot be changed",
  ]);
  const otherAccount = await upsertAccount(open.deps, accountInput.parse({ name: "stranger" }));
  assert.deepEqual(await configure({ ...sandbox, identifier: "changing" }, otherAccount), {
    kind: "invalid",
    issues: [{ path: ["identifier"], message: "is used by another account" }],
  });
});

test("the provisioning file names no phone that the account does not have", async () => {
  const message =
    "is no phone of this account: it is the identifier of the gateway to which the phone is linked";
  const other = { identifier: "sim-2", channel: "sms", kind: "android", settings: { phone: "gw_none" } };
  assert.deepEqual(await configure(other), {
    kind: "invalid",
    issues: [{ path: ["settings", "phone"], message }],
  });
  const own = await configure({ ...other, identifier: "sim-1", settings: {} });
  assert.ok(own.kind === "saved");
  assert.equal((await configure({ ...other, settings: { phone: own.id } })).kind, "saved");
});

test("wrong values are refused, each in its place", async () => {
  const cases: [object, string][] = [
    [{ ...sandbox, identifier: "" }, "identifier: must be 1 to 100"],
    [{ ...sandbox, identifier: "a b" }, "identifier: must be 1 to 100"],
    [{ ...sandbox, identifier: "a".repeat(101) }, "identifier: must be 1 to 100"],
    [{ ...sandbox, channel: "fax" }, "channel: "],
    [{ ...sandbox, kind: "pigeon" }, "kind: is no kind of sms gateway; there are: sandbox, http-api, twilio"],
    [
      { ...httpApi, identifier: "x", channel: "email" },
      "kind: is no kind of email gateway; there are: sandbox",
    ],
    [{ ...sandbox, settings: { x: 1 } }, "settings.x: is not a field"],
    [{ ...sandbox, pace: { per_second: 0 } }, "pace.per_second: "],
    [{ ...sandbox, pace: { concurrency: 0 } }, "pace.concurrency: "],
    [{ ...sandbox, pace: { jitter_ms: -1 } }, "pace.jitter_ms: "],
    [{ ...sandbox, pace: { per_day: 0 } }, "pace.per_day: "],
    [{ ...sandbox, pace: { hours: "8-20" } }, "pace.hours: must look like 08:00-20:00"],
    [{ ...sandbox, pace: { speed: 1 } }, 'pace: Unrecognized key: "speed"'],
    [{ ...sandbox, retry: { first_ms: 1 } }, "retry.first_ms: "],
    [{ ...sandbox, retry: { max_ms: 1 } }, "retry.max_ms: "],
    [{ ...sandbox, retry: { for_ms: -1 } }, "retry.for_ms: "],
    [{ ...sandbox, on_unknown: "guess" }, "on_unknown: "],
    [{ ...sandbox, active: "yes" }, "active: "],
    [{ ...httpApi, identifier: "x", settings: {} }, "settings.url: "],
    [
      { ...httpApi, identifier: "x", settings: { ...httpApi.settings, timeout_ms: 5 } },
      "settings.timeout_ms: ",
    ],
  ];
  for (const [input, start] of cases) {
    const found = await faults(input);
    assert.ok(found.length === 1 && found[0]!.startsWith(start), `${start} but ${found}`);
  }
});

test("a forbidden address is refused with the name of the setting that lets it through", async () => {
  const urls = [
    "http://127.0.0.1:9000/x",
    "http://2130706433/",
    "http://localhost/",
    "http://10.1.2.3/",
    "http://[::1]/",
  ];
  for (const url of urls) {
    const [fault, ...more] = await faults({
      ...httpApi,
      identifier: "x",
      settings: { ...httpApi.settings, url },
    });
    assert.match(fault!, /^settings\.url: .*TRUNKLINE_OUTBOUND_ALLOW/, url);
    assert.deepEqual(more, []);
  }
  const twilio = {
    account_sid: "AC1",
    auth_token: "secret-token",
    from: "+15550001",
    base_url: "http://127.0.0.1:1",
  };
  const [fault] = await faults({ ...sandbox, identifier: "x", kind: "twilio", settings: twilio });
  assert.match(fault!, /^settings\.base_url: .*TRUNKLINE_OUTBOUND_ALLOW/);
  const allowing = await openConfiguring({ allow: "127.0.0.0/8" });
  const id = await upsertAccount(allowing.deps, accountInput.parse({ name: "acme" }));
  const input = gatewayFields.parse({ ...sandbox, kind: "twilio", settings: twilio });
  assert.equal((await upsertGateway(allowing.deps, id, input)).kind, "saved");
  await allowing.close();
});

test("a fault never repeats a secret", async () => {
  const canary = "canary-secret";
  const inputs = [
    { ...httpApi, settings: { ...httpApi.settings, headers: { authorization: `${canary}\n` } } },
    { ...httpApi, settings: { ...httpApi.settings, url: `https://${canary}:${canary}@example.com/` } },
    { ...httpApi, settings: { ...httpApi.settings, url: `http://127.0.0.1/?key=${canary}` } },
    { ...httpApi, settings: { url: `https://example.com/${canary}`, body: canary } },
    { ...httpApi, settings: { ...httpApi.settings, timeout_ms: canary, encoding: canary, method: canary } },
    { ...sandbox, kind: "twilio", settings: { account_sid: canary, auth_token: 5, from: "" } },
    { ...sandbox, kind: "twilio", settings: { account_sid: "AC1", auth_token: canary, base_url: canary } },
  ];
  for (const input of inputs) {
    const found = await faults({ ...input, identifier: "x" });
    assert.ok(found.length > 0);
    assert.ok(!found.join("\n").includes(canary), found.join("\n"));
  }
});
