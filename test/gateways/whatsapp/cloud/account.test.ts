// The state of a number at Meta, in findings; its registration.

import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { checkNumber, registerNumber } from "#gateways/whatsapp/cloud/account.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { stillClock } from "../../conformance-samples.ts";
import { businessAccountId, type GraphSimulator, graphSimulator } from "../graph-simulator.ts";
import { parsedSettings } from "./cloud-example.ts";

const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
const tools = { outbound, clock: stillClock, timeoutMs: 10_000 };
let graph: GraphSimulator;
beforeEach(async () => {
  await graph?.close();
  graph = await graphSimulator();
});
after(async () => {
  await graph.close();
  await outbound.close();
});

const settingsWith = (change: object = {}) =>
  parsedSettings({ base_url: graph.url, business_account_id: businessAccountId, ...change });
const states = async (change: object = {}) => {
  const { findings } = await checkNumber(settingsWith(change), tools);
  return findings.map(({ what, state }) => `${what} ${state}`);
};

test("a number that is well", async () => {
  const { facts, findings } = await checkNumber(settingsWith(), tools);
  assert.deepEqual(facts, {
    number: "+15550783881",
    name: "Acme",
    quality: "high",
    limit: "TIER_10K",
    throughput: "STANDARD",
  });
  assert.deepEqual(
    findings.map(({ state }) => state),
    ["ok", "ok", "ok", "ok", "ok"],
  );
});

test("a number that is not registered, has no name, may not send and gets no callbacks", async () => {
  graph.apps.length = 0;
  Object.assign(graph.number, {
    status: "PENDING",
    name_status: "DECLINED",
    quality_rating: "RED",
    health_status: {
      can_send_message: "BLOCKED",
      entities: [
        { entity_type: "WABA", errors: [{ error_code: 141010, error_description: "No payment method." }] },
      ],
    },
  });
  const { facts, findings } = await checkNumber(settingsWith(), tools);
  assert.equal(facts.quality, "low");
  assert.deepEqual(
    findings.map(({ what, state }) => `${what} ${state}`),
    ["access ok", "number error", "name warning", "sending error", "callbacks error"],
  );
  assert.match(findings[3]?.detail ?? "", /BLOCKED.*WABA: No payment method\./);
});

test("a token that Meta refuses, an account that is not named, and settings without secrets", async () => {
  assert.deepEqual(await states({ access_token: "EAAanother-token" }), ["access error", "callbacks error"]);
  assert.ok((await states({ business_account_id: undefined })).includes("callbacks unknown"));
  assert.ok((await states({ verify_token: undefined })).includes("callbacks error"));
  await graph.close();
  assert.deepEqual(await states(), ["access unknown", "callbacks unknown"]);
});

test("a registration, and one with another PIN", async () => {
  Object.assign(graph.number, { status: "PENDING" });
  assert.deepEqual(await registerNumber(settingsWith(), "123456", tools), { kind: "registered" });
  assert.equal(graph.number.status, "CONNECTED");
  const refused = await registerNumber(settingsWith(), "654321", tools);
  assert.equal(refused.kind, "refused");
  assert.match("reason" in refused ? refused.reason : "", /^WhatsApp error 133005: .*mismatch/);
  await graph.close();
  assert.equal((await registerNumber(settingsWith(), "123456", tools)).kind, "unknown");
});
