// A key with `read:own`: what it sees of an account with two gateways, and what it does not.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { KeyScope } from "#contract/manage/keys/named-keys.ts";
import { storeInbound } from "#store/feedback/inbound.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { someEngines } from "../../../harness.ts";
import { inject } from "../../../inject.ts";
import { createdBy, type Managed, managed } from "../manage/managed.ts";

interface Shown {
  id: string;
  gateway_identifier: string;
}

for (const engine of someEngines(import.meta.filename)) {
  describe(`read:own on ${engine}`, () => {
    let m: Managed;
    let account: string;
    const ids: Record<string, string[]> = { shop: [], bank: [] };

    const keyFor = async (scopes: readonly KeyScope[], gateways: string[] | null = ["shop"]) => {
      const body = { name: `${scopes} ${gateways}`, scopes, gateways };
      return (await createdBy<{ key: string }>(m.operator, `/accounts/${account}/api-keys`, body)).key;
    };
    const ask = async (key: string, method: "GET" | "POST", url: string) => {
      const reply = await inject(m.it.system.app, { method, url, headers: { "api-key": key } });
      return { status: reply.statusCode, body: reply.json() };
    };
    const list = async (key: string, url: string): Promise<Shown[]> => {
      const seen: Shown[] = [];
      let cursor: string | null = null;
      do {
        const { status, body } = await ask(key, "GET", cursor === null ? url : `${url}&cursor=${cursor}`);
        assert.equal(status, 200, JSON.stringify(body));
        seen.push(...body.data);
        cursor = body.next_cursor;
      } while (cursor !== null);
      return seen;
    };

    before(async () => {
      m = await managed({ engine, started: false });
      account = (await m.it.account({ name: "acme" })).id;
      const { database } = m.it.system;
      for (const identifier of ["shop", "bank", "kiosk"]) await m.it.gateway({ identifier });
      for (let i = 0; i < 6; i++) {
        const to = i % 2 === 0 ? "shop" : "bank";
        const contact = { number: `+1555000000${i}`, message: `code ${i}`, gateway_identifier: to };
        ids[to]?.push(...(await m.it.accepted([contact])));
        const gateway = await database.run(findGatewayByIdentifier, to);
        assert.ok(gateway);
        await database.run(storeInbound, {
          message: {
            id: m.it.system.core.newId("in"),
            account_id: account,
            gateway_id: gateway.id,
            channel: "sms",
            reference: `in${i}`,
            sender: "+4915123456789",
            recipient: "+15005550006",
            body: `no. ${i}`,
            media: "[]",
            received_at: m.it.clock.now() + i,
            consent_keyword: null,
            details: null,
          },
          gatewayIdentifier: to,
          replyTo: null,
          sentSince: 0,
        });
      }
    });
    after(() => m?.close());

    test("it lists what its gateways sent and received, page by page, and no more", async () => {
      const own = await keyFor(["read:own"]);
      const both = await keyFor(["read:own"], ["shop", "bank", "kiosk"]);
      const all = await keyFor(["read"]);
      for (const url of [
        "/api/get/sms?limit=2",
        "/api/received/sms?limit=2",
        "/api/get/sms?limit=2&status=queued",
      ]) {
        const everything = await list(all, url);
        assert.equal(everything.length, 6, url);
        const shops = everything.filter((one) => one.gateway_identifier === "shop");
        assert.deepEqual(await list(own, url), shops, url);
        assert.deepEqual(await list(both, url), everything, url);
      }
      assert.deepEqual(await list(own, "/api/get/sms?limit=2&status=failed"), []);
      assert.deepEqual(await list(own, "/api/get/email?limit=2"), []);
      const alsoAll = await keyFor(["read:own", "read"]);
      assert.equal((await list(alsoAll, "/api/get/sms?limit=6")).length, 6, "read wins");
    });

    test("a message and a change elsewhere are answered as if there were none; the account is not shown", async () => {
      const own = await keyFor(["read:own", "send:sms"]);
      const all = await keyFor(["read", "send:sms"]);
      const [mine = ""] = ids.shop ?? [];
      const [theirs = "", other = ""] = ids.bank ?? [];
      const unknown = await ask(own, "GET", `/api/get/sms/msg_${"0".repeat(26)}`);
      assert.equal(unknown.status, 404);
      assert.equal((await ask(own, "GET", `/api/get/sms/${mine}`)).status, 200);
      assert.deepEqual(await ask(own, "GET", `/api/get/sms/${theirs}`), unknown);
      assert.equal((await ask(own, "POST", `/api/cancel/sms/${theirs}`)).status, 404);
      assert.equal((await ask(all, "GET", `/api/get/sms/${theirs}`)).body.data.status, "queued");
      assert.equal((await ask(own, "POST", `/api/cancel/sms/${mine}`)).status, 200);
      assert.equal((await ask(all, "POST", `/api/cancel/sms/${other}`)).status, 200, "read cancels all");
      assert.equal((await ask(own, "GET", "/api/account")).status, 403);
    });

    test("it needs gateways, also after a change", async () => {
      const path = `/accounts/${account}/api-keys`;
      const bad = { name: "unbound", scopes: ["read:own"] };
      const refused = await m.operator("POST", path, bad);
      const errors = { gateways: ["must name gateways, because the scope read:own is about theirs"] };
      assert.deepEqual([refused.statusCode, refused.json().errors], [422, errors]);
      const made = await createdBy<{ id: string }>(m.operator, path, { ...bad, gateways: ["shop"] });
      const changed = await m.operator("PATCH", `${path}/${made.id}`, { gateways: null });
      assert.deepEqual([changed.statusCode, changed.json().errors], [422, errors]);
    });
  });
}
