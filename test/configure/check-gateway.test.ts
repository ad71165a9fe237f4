// Checks and registrations: what is kept of them, and gateways that have neither.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { checkGateway, registerGateway } from "#configure/check-gateway.ts";
import { gateways } from "#configure/gateway.ts";
import { gatewayFields } from "#contract/manage/gateways.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { graphSimulator, phoneNumberId, token } from "../gateways/whatsapp/graph-simulator.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

const allow = "127.0.0.0/8";
let open: Configuring;
before(async () => {
  open = await openConfiguring({ allow });
});
after(() => open.close());

async function gateway(identifier: string, channel: string, kind: string, settings: object) {
  const accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
  const input = gatewayFields.parse({ identifier, channel, kind, settings });
  assert.equal((await gateways.create(open.deps, { accountId }, input)).kind, "saved");
  const found = await open.deps.database.run(findGatewayByIdentifier, identifier);
  assert.ok(found);
  return found;
}

test("what Meta knows of a number is kept, without the token and the PIN", async () => {
  const graph = await graphSimulator();
  const outbound = createOutbound({ allow: readAllowList(allow) });
  const deps = { ...open.deps, outbound };
  try {
    const row = await gateway("cloud", "whatsapp", "whatsapp-cloud", {
      phone_number_id: phoneNumberId,
      access_token: token,
      base_url: graph.url,
    });
    assert.equal((await checkGateway(deps, row))?.facts.name, "Acme");
    assert.deepEqual(await registerGateway(deps, row, "864209"), { kind: "registered" });
    const [kept] = open.query("select facts from gateway_account_updates where gateway_id = ?", row.id);
    assert.equal(JSON.parse(String(kept?.facts)).quality, "high");
    assert.ok(!open.dump().includes(token) && !open.dump().includes("864209"));
  } finally {
    await outbound.close();
    await graph.close();
  }
});

test("a sandbox is always well, and an email gateway has nothing to check", async () => {
  const box = await gateway("box", "sms", "sandbox", {});
  assert.deepEqual(
    (await checkGateway(open.deps, box))?.findings.map(({ state }) => state),
    ["ok"],
  );
  assert.deepEqual(await registerGateway(open.deps, box, "123456"), { kind: "registered" });
  const mail = await gateway("mail", "email", "resend", { api_key: "re_1", from: "a@example.com" });
  assert.equal(await checkGateway(open.deps, mail), null);
  assert.equal(await registerGateway(open.deps, mail, "123456"), null);
});
