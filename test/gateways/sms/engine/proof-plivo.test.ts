// Plivo's signature, which needs a URL that proves itself beside it.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { plivoSignature } from "#gateways/sms/engine/proof-plivo.ts";
import { callbackUrl, toolsWith } from "../../conformance-samples.ts";

const settings = { auth_token: "token-0123456789", callback_token: "callback-0123456789" };
const signature = createHmac("sha256", settings.auth_token).update(`${callbackUrl}n1`).digest("base64");
const signed = { "x-plivo-signature-v2": signature, "x-plivo-signature-v2-nonce": "n1" };
const tools = toolsWith();
const prove = async (url: string, headers: Record<string, string>, own = settings) =>
  await plivoSignature(
    { method: "POST", url, query: new URL(url).searchParams, headers, body: Buffer.alloc(0) },
    own,
    tools,
  );
const messageUrl = tools.messageUrl("msg_1") ?? "";
const tokenUrl = `${callbackUrl}?token=callback-0123456789`;

test("the signature with the URL of a message, or with the token", async () => {
  assert.deepEqual(await prove(messageUrl, signed), { kind: "proved", covers: "call", messageId: "msg_1" });
  assert.deepEqual(await prove(tokenUrl, signed), { kind: "proved", covers: "call" });
  const main = { "x-plivo-signature-ma-v2": signature, "x-plivo-signature-v2-nonce": "n1" };
  assert.equal((await prove(tokenUrl, main)).kind, "proved");
});

test("neither is enough alone, because the signature covers no query and no body", async () => {
  assert.equal((await prove(callbackUrl, signed)).kind, "forbidden");
  assert.equal((await prove(messageUrl, {})).kind, "forbidden");
  assert.equal(
    (await prove(messageUrl, { ...signed, "x-plivo-signature-v2-nonce": "n2" })).kind,
    "forbidden",
  );
  assert.equal((await prove(messageUrl, signed, { ...settings, auth_token: "" })).kind, "not_configured");
});
