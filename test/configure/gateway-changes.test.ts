// Gateways one change at a time: the stored gateway and what is given make the same as one whole input would.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { gateways } from "#configure/gateway.ts";
import { gatewayChanges, gatewayFields } from "#contract/manage/gateways.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let accountId: string;
before(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
});
after(() => open.close());

const twilio = { account_sid: "AC1", auth_token: "stored-secret", from: "+15550001" };
const make = (identifier: string, rest: object = {}) =>
  gateways.create(
    open.deps,
    { accountId },
    gatewayFields.parse({ identifier, channel: "sms", kind: "twilio", settings: twilio, ...rest }),
  );
const row = async (identifier: string) => {
  const found = await open.deps.database.run(findGatewayByIdentifier, identifier);
  assert.ok(found);
  return found;
};
const change = async (identifier: string, changes: object) =>
  gateways.update(open.deps, { accountId }, identifier, gatewayChanges.parse(changes));
const faults = (result: Awaited<ReturnType<typeof change>>) =>
  result.kind === "invalid"
    ? result.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
    : result.kind === "saved"
      ? []
      : [result.kind];

test("a stored gateway is the input that made it", async () => {
  const input = gatewayFields.parse({
    identifier: "same",
    channel: "sms",
    kind: "twilio",
    default: true,
    settings: twilio,
    pace: { per_second: 3, jitter_ms: 5, hours: "08:00-20:00" },
    retry: { first_ms: 200 },
    on_unknown: "resend",
  });
  assert.equal((await gateways.create(open.deps, { accountId }, input)).kind, "saved");
  const defaults = { base_url: "https://api.twilio.com", timeout_ms: 30_000 };
  assert.deepEqual(gateways.fieldsOf(open.deps.sealer, await row("same")), {
    ...input,
    settings: { ...defaults, ...twilio },
  });
});

test("only what is given changes; a null setting is taken away, and the whole is checked", async () => {
  assert.equal((await make("part", { pace: { per_day: 4 } })).kind, "saved");
  const before = gateways.fieldsOf(open.deps.sealer, await row("part"));
  assert.deepEqual(faults(await change("part", {})), []);
  assert.deepEqual(gateways.fieldsOf(open.deps.sealer, await row("part")), before);
  const swap = { from: null, messaging_service_sid: "MG1" };
  assert.deepEqual(faults(await change("part", { settings: swap, pace: { concurrency: 2 } })), []);
  const after = gateways.fieldsOf(open.deps.sealer, await row("part"));
  assert.deepEqual(after.settings.messaging_service_sid, "MG1");
  assert.equal("from" in after.settings, false);
  assert.deepEqual(after.pace, { ...before.pace, concurrency: 2 });
  assert.deepEqual(faults(await change("part", { settings: { from: "+1555" } })), [
    "settings.from: Give either `from` or `messaging_service_sid`.",
  ]);
});

test("a name is taken once, also when two ask at the same time", async () => {
  const results = await Promise.all([make("race"), make("race"), make("race")]);
  assert.deepEqual(results.map(({ kind }) => kind).sort(), ["invalid", "invalid", "saved"]);
  assert.deepEqual(faults(await make("race")), ["identifier: is taken"]);
});

test("an address of another server takes all secrets again; a mask keeps them on the same one", async () => {
  await make("moved");
  const elsewhere = { base_url: "https://elsewhere.test" };
  const fault = "settings.auth_token: must be given again, since the gateway's address changes";
  assert.deepEqual(faults(await change("moved", { settings: elsewhere })), [fault]);
  assert.deepEqual(faults(await change("moved", { settings: { ...elsewhere, auth_token: "••••" } })), [
    fault,
  ]);
  assert.deepEqual(faults(await change("moved", { settings: { ...elsewhere, auth_token: "new" } })), []);
  const samePlace = { base_url: "https://elsewhere.test/v2", auth_token: "••••" };
  assert.deepEqual(faults(await change("moved", { settings: samePlace })), []);
  assert.equal(gateways.fieldsOf(open.deps.sealer, await row("moved")).settings.auth_token, "new");
});

test("another kind begins without the settings of the one before", async () => {
  await make("kinds");
  assert.deepEqual(faults(await change("kinds", { kind: "http-api", settings: { url: "••••" } })), [
    "settings.url: is a mask, and nothing is stored that it could stand for",
  ]);
  assert.deepEqual(faults(await change("kinds", { kind: "sandbox" })), []);
  assert.deepEqual(gateways.fieldsOf(open.deps.sealer, await row("kinds")).settings, {});
});
