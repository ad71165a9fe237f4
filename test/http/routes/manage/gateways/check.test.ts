// The state of a gateway at its provider: its check, its registration, and what Meta's callbacks say of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import {
  businessAccountId,
  type GraphSimulator,
  graphSimulator,
  phoneNumberId,
  token,
} from "../../../../gateways/whatsapp/graph-simulator.ts";
import {
  accountCallOf,
  appSecret,
  signatureOf,
  verifyToken,
} from "../../../../gateways/whatsapp/meta-callbacks.ts";
import { inject } from "../../../../inject.ts";
import { providerSettings } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

const allow = "127.0.0.0/8";
const outbound = createOutbound({ allow: readAllowList(allow) });
let graph: GraphSimulator;
let m: Managed;
let path: string;
before(async () => {
  graph = await graphSimulator();
  m = await managed({ allow, respond: (request) => outbound.request(request) });
  const { id } = await m.it.account();
  await m.it.gateway({ identifier: "text", kind: "http-api", settings: providerSettings });
  await m.it.gateway({
    identifier: "cloud",
    channel: "whatsapp",
    kind: "whatsapp-cloud",
    default: true,
    settings: {
      phone_number_id: phoneNumberId,
      business_account_id: businessAccountId,
      access_token: token,
      base_url: graph.url,
      app_secret: appSecret,
      verify_token: verifyToken,
    },
  });
  path = `/accounts/${id}/gateways`;
});
after(async () => {
  await m?.close();
  await outbound.close();
  await graph?.close();
});

interface Shown {
  state: string;
  pause: { reason: string; until: string | null } | null;
  provider: Record<string, unknown> | null;
}
const show = async () => dataOf<Shown>(await m.operator("GET", `${path}/cloud`));

test("a check tells findings, and what the provider knows is kept with the gateway", async () => {
  assert.equal((await show()).provider, null);
  const { findings, ...facts } = dataOf<{ findings: { state: string }[] }>(
    await m.operator("GET", `${path}/cloud/check`),
  );
  assert.ok(findings.every(({ state }) => state === "ok"));
  const known = {
    number: "+15550783881",
    name: "Acme",
    quality: "high",
    limit: "TIER_10K",
    throughput: "STANDARD",
  };
  assert.deepEqual(facts, known);
  const at = new Date(m.it.clock.now()).toISOString();
  assert.deepEqual((await show()).provider, { ...known, notice: null, at });
});

test("a registration needs six digits; what Meta refuses is a conflict with its reason", async () => {
  const register = (pin: unknown) => m.operator("POST", `${path}/cloud/register`, { pin });
  assert.equal((await register("12345")).statusCode, 422);
  assert.deepEqual(dataOf<object>(await register("123456")), { registered: true });
  const refused = await register("654321");
  assert.equal(refused.statusCode, 409);
  assert.match(refused.json().message, /133005/);
  await graph.close();
  assert.equal((await register("123456")).statusCode, 503);
});

test("gateways of other kinds are checked for their connection alone", async () => {
  const { findings } = dataOf<{ findings: { what: string; state: string }[] }>(
    await m.operator("GET", `${path}/text/check`),
  );
  assert.deepEqual(
    findings.map(({ what, state }) => [what, state]),
    [["network", "error"]],
  );
  assert.equal((await m.operator("POST", `${path}/text/register`, { pin: "123456" })).statusCode, 404);
  assert.equal((await m.operator("GET", `${path}/none/check`)).statusCode, 404);
});

test("a restriction that Meta reports pauses the gateway with its reason, and a reinstatement ends that", async () => {
  const seconds = Math.floor(m.it.clock.now() / 1000);
  const tell = async (value: object, time: number) => {
    const payload = accountCallOf("account_update", value, businessAccountId, time);
    const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(payload) };
    const reply = await inject(m.it.system.app, {
      method: "POST",
      url: "/callbacks/cloud",
      payload,
      headers,
    });
    assert.equal(reply.statusCode, 200);
    await m.it.settle();
  };
  await tell({ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE" } }, seconds);
  const notice = "Meta reported on the account: DISABLED_UPDATE (DISABLE).";
  const paused = await show();
  assert.deepEqual([paused.state, paused.pause?.reason], ["paused", notice]);
  assert.deepEqual(paused.provider?.notice, { text: notice, at: new Date(seconds * 1000).toISOString() });
  await tell({ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } }, seconds + 1);
  await m.it.advance(1000);
  assert.ok(Date.parse((await show()).pause?.until ?? "") <= m.it.clock.now());
});
