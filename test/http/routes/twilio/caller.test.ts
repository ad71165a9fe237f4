// Whose messages a key sends, sees and cancels through Twilio's API: the rules are those of the other endpoints.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { idOfSid, sidOf } from "#contract/twilio/sids.ts";
import { signingToken } from "#webhooks/twilio-request.ts";
import type { Harness } from "../../../harness.ts";
import { inject } from "../../../inject.ts";
import { createdBy, type Managed, managed } from "../manage/managed.ts";
import { accountSid, basic, getTwilio, messagePath, messagesPath, postForm } from "./twilio-peer.ts";

const to = "+4915123450001";

describe("accounts and scopes", () => {
  let m: Managed;
  let it: Harness;
  let acme: { id: string; key: string };
  let other: { id: string; key: string };
  let shop: string;
  let bank: string;
  const sidOfReply = (reply: { statusCode: number; body: string; json(): { sid: string } }) => {
    assert.equal(reply.statusCode, 201, reply.body);
    return reply.json().sid;
  };
  const keyFor = async (scopes: string[], gateways: string[] | null = null) => {
    const body = { name: `${scopes} ${gateways}`, scopes, gateways };
    return (await createdBy<{ key: string }>(m.operator, `/accounts/${acme.id}/api-keys`, body)).key;
  };
  const sidsOf = async (key: string, query = "") => {
    const sids: string[] = [];
    let path = `${messagesPath}${query}`;
    for (let page = 0; page < 20; page++) {
      const reply = await getTwilio(it, key, path);
      assert.equal(reply.statusCode, 200, reply.body);
      const { messages, next_page_uri } = reply.json();
      sids.push(...messages.map(({ sid }: { sid: string }) => sid));
      if (next_page_uri === null) return sids;
      path = `/api/twilio${next_page_uri}`;
    }
    throw new Error("The list does not end.");
  };

  before(async () => {
    m = await managed({ started: false });
    it = m.it;
    other = await it.account({ name: "other", country: "DE" });
    await it.gateway({ identifier: "other-main", default: true });
    acme = await it.account({ name: "acme", country: "DE" });
    for (const identifier of ["shop", "bank"]) await it.gateway({ identifier });
    await it.gateway({ identifier: "wa", channel: "whatsapp", default: true });
    await it.gateway({ identifier: "mail", channel: "email", default: true });
    shop = sidOfReply(await postForm(it, acme.key, { To: to, Body: "shop", From: "shop" }));
    bank = sidOfReply(await postForm(it, acme.key, { To: to, Body: "bank", From: "bank" }));
  });
  after(() => m?.close());

  test("another account finds, lists, cancels and names nothing of it", async () => {
    assert.equal((await getTwilio(it, other.key, messagePath(shop))).statusCode, 404);
    const cancel = await postForm(it, other.key, { Status: "canceled" }, { path: messagePath(shop) });
    assert.equal(cancel.statusCode, 404);
    assert.deepEqual(await sidsOf(other.key), []);
    const gateway = (await getTwilio(it, acme.key, messagePath(shop))).json().messaging_service_sid;
    assert.match(gateway, /^MG[0-9a-f]{32}$/);
    for (const service of [gateway, "shop"]) {
      const reply = await postForm(it, other.key, { To: to, Body: "Hi", MessagingServiceSid: service });
      assert.equal(reply.json().code, 21701);
    }
    assert.equal(
      (await postForm(it, acme.key, { To: to, Body: "Hi", MessagingServiceSid: gateway })).statusCode,
      201,
    );
  });

  test("a key sends by its channels and gateways alone", async () => {
    const sms = await keyFor(["send:sms"], ["shop"]);
    assert.equal((await postForm(it, sms, { To: to, Body: "Hi" })).statusCode, 201);
    const refused = await postForm(it, sms, { To: `whatsapp:${to}`, Body: "Hi" });
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 20003]);
    assert.equal(
      (await postForm(it, sms, { To: to, Body: "Hi", MessagingServiceSid: "bank" })).json().code,
      21701,
    );
    assert.equal((await getTwilio(it, sms, messagesPath)).statusCode, 403);
    assert.equal((await getTwilio(it, sms, messagePath(shop))).statusCode, 403);
    const reader = await keyFor(["read"]);
    assert.equal((await postForm(it, reader, { To: to, Body: "Hi" })).statusCode, 403);
    const cancel = await postForm(it, reader, { Status: "canceled" }, { path: messagePath(shop) });
    assert.equal(cancel.statusCode, 403);
    assert.equal((await getTwilio(it, reader, messagePath(shop))).statusCode, 200);
  });

  test("a key with read:own sees what its gateways sent, on every page", async () => {
    const own = await keyFor(["read:own", "send:sms"], ["bank"]);
    assert.equal((await getTwilio(it, own, messagePath(shop))).statusCode, 404);
    assert.equal((await getTwilio(it, own, messagePath(bank))).statusCode, 200);
    assert.deepEqual(await sidsOf(own, "?PageSize=1"), [bank]);
    assert.deepEqual(await sidsOf(own, "?From=shop"), []);
    const cancel = await postForm(it, own, { Status: "canceled" }, { path: messagePath(shop) });
    assert.equal(cancel.statusCode, 404);
  });

  test("mails are not shown, and messages of the other endpoints are", async () => {
    const mail = await it.post("/api/email/send", {
      contact: [{ email: "delivered@example.com", subject: "Hi", message: "Hello" }],
    });
    const sms = await it.post("/api/sms/send", {
      contact: [{ number: to, message: "Hi", gateway_identifier: "shop" }],
    });
    const mailSid = sidOf("SM", mail.json().data.contact[0].id);
    const smsSid = sidOf("SM", sms.json().data.contact[0].id);
    assert.equal((await getTwilio(it, acme.key, messagePath(mailSid))).statusCode, 404);
    assert.equal((await getTwilio(it, acme.key, messagePath(smsSid))).json().body, "Hi");
    const listed = await sidsOf(acme.key);
    assert.ok(listed.includes(smsSid) && !listed.includes(mailSid));
  });

  test("the auth token is that of the key that asks", async () => {
    const named = await keyFor(["send:sms"]);
    const path = messagesPath.replace("/Messages.json", ".json");
    const tokens = [];
    for (const key of [acme.key, named, other.key]) {
      const body = (await getTwilio(it, key, path)).json();
      assert.deepEqual([body.sid, body.auth_token], [accountSid, signingToken(key)]);
      tokens.push(body.auth_token);
    }
    assert.equal(new Set(tokens).size, 3);
  });

  test("the user's name may be any text, and so may the SID, which the answer repeats", async () => {
    const url = messagesPath.replace(accountSid, "AC-of-mine");
    const reply = await inject(it.system.app, { url, headers: basic(acme.key, "me, myself:") }).catch(
      () => null,
    );
    assert.equal(reply?.statusCode, 401, "a colon ends the name");
    const named = await inject(it.system.app, { url, headers: basic(acme.key, "me, myself") });
    assert.ok(
      named.json().messages.every(({ account_sid }: { account_sid: string }) => account_sid === "AC-of-mine"),
    );
    for (const path of ["AC%20x", "x".repeat(65), "%00"]) {
      const odd = await inject(it.system.app, {
        url: messagesPath.replace(accountSid, path),
        headers: basic(acme.key),
      });
      assert.equal(odd.statusCode, 404, path);
    }
  });

  test("a repeated Idempotency-Key is one message; for another one it is refused", async () => {
    const headers = { "idempotency-key": "order-1" };
    const form = { To: to, Body: "Once", From: "shop" };
    const first = await postForm(it, acme.key, form, { headers });
    const again = await postForm(it, acme.key, form, { headers });
    assert.equal(sidOfReply(again), sidOfReply(first));
    assert.equal(again.headers["idempotent-replayed"], "true");
    for (const change of [{ Body: "Twice" }, { StatusCallback: "https://app.example.com/" }]) {
      const reply = await postForm(it, acme.key, { ...form, ...change }, { headers });
      assert.deepEqual([reply.statusCode, reply.json().code], [400, 20001]);
      assert.match(reply.json().message, /Idempotency-Key|Validation/);
    }
    assert.ok(idOfSid("SM", first.json().sid, "msg"));
  });
});
