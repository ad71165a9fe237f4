// Whose emails a key sends, sees and changes through Resend's API: the rules are those of the other endpoints.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Harness } from "../../../harness.ts";
import { createdBy, type Managed, managed } from "../manage/managed.ts";
import { askResend, emailsPath, postEmail } from "./resend-peer.ts";

const email = { to: "ada@example.com", subject: "Hi", text: "Hi" };

describe("scopes of keys", () => {
  let m: Managed;
  let it: Harness;
  let account: { id: string; key: string };
  let shop: string;
  const keyFor = async (scopes: string[], gateways: string[] | null = null) => {
    const body = { name: `${scopes} ${gateways}`, scopes, gateways };
    return (await createdBy<{ key: string }>(m.operator, `/accounts/${account.id}/api-keys`, body)).key;
  };
  /** The status and name of each answer to reading, moving and canceling an email, and to sending one. */
  const answers = async (key: string) => {
    const url = `${emailsPath}/${shop}`;
    const payload = { scheduled_at: "2098-01-01T00:00:00Z" };
    const replies = [
      await askResend(it, key, { method: "GET", url }),
      await askResend(it, key, { method: "PATCH", url, payload }),
      await askResend(it, key, { method: "POST", url: `${url}/cancel` }),
      await postEmail(it, key, { ...email, from: "news@shop.example" }),
    ];
    return replies.map((reply) => reply.json().name ?? reply.statusCode);
  };

  before(async () => {
    m = await managed({ started: false });
    it = m.it;
    account = await it.account({ name: "acme" });
    for (const name of ["shop", "bank"])
      await it.gateway({
        identifier: name,
        channel: "email",
        kind: "resend",
        default: name === "bank",
        settings: { api_key: "re_1", from: `news@${name}.example` },
      });
    const scheduled = { ...email, from: "info@shop.example", scheduled_at: "2099-01-01T00:00:00Z" };
    const reply = await postEmail(it, account.key, scheduled);
    assert.equal(reply.statusCode, 200, reply.body);
    shop = reply.json().id;
  });
  after(() => m?.close());

  test("a key without the scope is restricted", async () => {
    const restricted = "restricted_api_key";
    assert.deepEqual(await answers(await keyFor(["send:sms"])), Array(4).fill(restricted));
    assert.deepEqual(await answers(await keyFor(["read"])), [200, ...Array(3).fill(restricted)]);
  });

  test("a key of one gateway neither sends by another one nor sees or changes its emails", async () => {
    const bank = await keyFor(["read:own", "send:email"], ["bank"]);
    assert.deepEqual(await answers(bank), ["not_found", "not_found", "not_found", "validation_error"]);
  });

  test("a key of the gateway does all of it", async () => {
    assert.deepEqual(await answers(await keyFor(["read:own", "send:email"], ["shop"])), [200, 200, 200, 200]);
  });
});
