// Checks and registrations: what is kept of them, and gateways that have neither.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
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
  const made = await gateways.create(open.deps, { accountId }, input);
  assert.equal(made.kind, "saved", JSON.stringify(made));
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

test("of an address it is said whether the server can be reached, and nothing is sent there", async () => {
  let received = 0;
  const server = createServer((socket) =>
    socket.on("data", () => {
      received++;
      socket.end("this is not TLS\r\n");
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const outbound = createOutbound({ allow: readAllowList(allow) });
  const deps = { ...open.deps, outbound };
  try {
    const smtp = { host: "127.0.0.1", port, from: "a@example.com", security: "none" };
    const near = await gateway("near", "email", "smtp", smtp);
    assert.deepEqual(await checkGateway(deps, near), {
      facts: {},
      findings: [{ what: "network", state: "ok", detail: `127.0.0.1 answers on port ${port}.` }],
    });
    assert.equal(received, 0);
    const sms = { url: `https://127.0.0.1:${port}/send`, body: { to: "{{to}}", text: "{{message}}" } };
    const plain = await gateway("plain", "sms", "http-api", sms);
    assert.match((await checkGateway(deps, plain))?.findings[0]?.detail ?? "", /No secure connection/);
    server.close();
    const gone = await gateway("gone", "email", "smtp", { ...smtp, port: 1 });
    assert.match(
      (await checkGateway(deps, gone))?.findings[0]?.detail ?? "",
      /could not be reached \(ECONNREFUSED\)/,
    );
  } finally {
    await outbound.close();
  }
});

test("a sandbox is always well, and a phone has nothing to check", async () => {
  const box = await gateway("box", "sms", "sandbox", {});
  assert.deepEqual(
    (await checkGateway(open.deps, box))?.findings.map(({ state }) => state),
    ["ok"],
  );
  assert.deepEqual(await registerGateway(open.deps, box, "123456"), { kind: "registered" });
  const phone = await gateway("phone", "sms", "android", {});
  assert.equal(await checkGateway(open.deps, phone), null);
  assert.equal(await registerGateway(open.deps, phone, "123456"), null);
});
