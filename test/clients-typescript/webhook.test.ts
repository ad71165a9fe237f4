// The TypeScript client verifies what the system posts, and its types know every event.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventCatalogue } from "#contract/events/catalogue.ts";
import type { PostedType } from "#contract/events/shapes.ts";
import { signatureHeader } from "#webhooks/sign.ts";
import type { WebhookEvent, WebhookEvents } from "../../clients/typescript/src/types.ts";
import { verifyWebhook, WebhookVerificationError } from "../../clients/typescript/src/webhook.ts";
import { hook, listen, says, secret } from "../scenarios/receiver.ts";
import { listening } from "./system.ts";

type Same<A, B> = [A, B] extends [B, A] ? true : never;
/** It does not compile when an event is missing in the client's types, or there is one too many. */
const complete: Same<PostedType, WebhookEvent["type"]> & Same<PostedType, keyof WebhookEvents> = true;

const now = 1_767_225_600_000;
const other = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const body = JSON.stringify({ type: "webhook.test", timestamp: "x", data: { webhook_id: "Zoë" } });

const headersOf = (secrets: string[], seconds = now / 1000, text = body) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": String(seconds),
  "webhook-signature": signatureHeader(secrets, "evt_1", seconds, text),
});

test("what the system posts is verified, and its data has its type", async (t) => {
  const { it, account, client } = await listening(t, { respond: () => says(204) });
  await listen(it, account.id);
  const sent = await client().sms.send({ number: "+15550000001", message: "Grüße 😀" });
  await it.advance(10_000);
  const posts = it.requests.filter(({ url }) => url === hook);
  const delivered: string[] = [];
  for (const { headers = {}, body: posted } of posts) {
    const seconds = Number(headers["webhook-timestamp"]);
    const event = await verifyWebhook(secret, headers, String(posted), { now: seconds * 1000 });
    assert.equal(event.id, headers["webhook-id"]);
    if (event.type === "message.delivered" && event.data.channel === "sms")
      delivered.push(`${event.data.id} ${event.data.message} ${event.data.segments}`);
  }
  assert.deepEqual(delivered, [`${sent.contact[0]?.id} Grüße 😀 1`]);
});

test("every event of the catalogue is read", async () => {
  assert.ok(complete);
  for (const { type, example } of eventCatalogue) {
    const text = JSON.stringify(example);
    const event = await verifyWebhook(secret, headersOf([secret], now / 1000, text), text, { now });
    assert.deepEqual(event, { ...(example as object), id: "evt_1" });
    assert.equal(event.type, type);
  }
});

test("headers come in any form, bodies as text or bytes, and any of several secrets fits", async () => {
  const headers = headersOf([other, secret]);
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  const bytes = new TextEncoder().encode(body);
  for (const form of [headers, new Headers(headers), upper]) {
    for (const content of [body, bytes, bytes.buffer, Buffer.from(body)])
      assert.equal((await verifyWebhook(secret, form, content, { now })).type, "webhook.test");
  }
  const rotated = headersOf([other]);
  assert.equal((await verifyWebhook([secret, other], rotated, body, { now })).id, "evt_1");
});

const genuine = headersOf([secret]);
const refused: [name: string, reason: string, headers: Record<string, string>, body: string][] = [
  ["another secret", "signature", headersOf([other]), body],
  ["another body", "signature", genuine, `${body} `],
  ["another id", "signature", { ...genuine, "webhook-id": "evt_2" }, body],
  ["another time", "signature", { ...genuine, "webhook-timestamp": String(now / 1000 + 1) }, body],
  ["an old post", "timestamp", headersOf([secret], now / 1000 - 301), body],
  ["a post of the future", "timestamp", headersOf([secret], now / 1000 + 301), body],
  ["a time that is no number", "timestamp", { ...genuine, "webhook-timestamp": "NaN" }, body],
  [
    "another version",
    "signature",
    { ...genuine, "webhook-signature": genuine["webhook-signature"].replace("v1", "v2") },
    body,
  ],
  ["a signature that is no base64", "signature", { ...genuine, "webhook-signature": "v1,é" }, body],
  ["an empty signature", "signature", { ...genuine, "webhook-signature": "v1," }, body],
  [
    "a signature behind too many",
    "signature",
    { ...genuine, "webhook-signature": `${"v1,x ".repeat(10)}${genuine["webhook-signature"]}` },
    body,
  ],
  ["no headers", "headers", {}, body],
  ["what is signed but no event", "body", headersOf([secret], now / 1000, "[]"), "[]"],
  ["what is signed but no JSON", "body", headersOf([secret], now / 1000, "{"), "{"],
];
for (const [name, reason, headers, content] of refused) {
  test(`${name} is refused`, async () => {
    await assert.rejects(verifyWebhook(secret, headers, content, { now }), (error) => {
      assert.ok(error instanceof WebhookVerificationError);
      assert.equal(error.reason, reason);
      return true;
    });
  });
}

test("the tolerance is the caller's", async () => {
  const headers = headersOf([secret], now / 1000 - 301);
  assert.equal((await verifyWebhook(secret, headers, body, { now, toleranceS: 302 })).id, "evt_1");
  await assert.rejects(
    verifyWebhook(secret, genuine, body, { now, toleranceS: Number.NaN }),
    /not signed just now/,
  );
});

test("what cannot be a secret or a body is a fault of the program", async () => {
  for (const wrong of ["", "whsec_", "whsec_secret!", []])
    await assert.rejects(verifyWebhook(wrong, genuine, body, { now }), TypeError);
  const parsed = JSON.parse(body) as string;
  await assert.rejects(verifyWebhook(secret, genuine, parsed, { now }), /not what was parsed/);
});
