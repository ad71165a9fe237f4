// The WhatsApp Cloud API on recorded traffic: requests to the byte.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayRules } from "#contract/manage/gateways.ts";
import { readFields } from "#contract/resource-schema.ts";
import { paceOf } from "#gateways/rules.ts";
import { whatsappCloud } from "#gateways/whatsapp/cloud/cloud.ts";
import { gatewayConformance } from "../../conformance.ts";
import { sampleMessage, sendOnce, toolsWith } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";
import { phoneNumberId, token } from "../graph-simulator.ts";
import { appSecret, callOf, change, verifyToken } from "../meta-callbacks.ts";
import { settings, sign } from "./cloud-example.ts";

const api = `https://graph.facebook.com/v26.0/${phoneNumberId}/messages`;
const headers = {
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json",
};
const wamid = "wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA";
const taken = {
  messaging_product: "whatsapp",
  contacts: [{ input: "+4915112345678", wa_id: "4915112345678" }],
  messages: [{ id: wamid }],
};
const body = (part: object) =>
  JSON.stringify({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: "+4915112345678",
    ...part,
    biz_opaque_callback_data: "msg_01test",
  });

gatewayConformance(whatsappCloud, {
  settings,
  secrets: [token, appSecret, verifyToken],
  refused: [
    { settings: {}, path: "phone_number_id", says: /string/ },
    { settings: { ...settings, phone_number_id: "+49151" }, path: "phone_number_id", says: /digits/ },
    { settings: { ...settings, access_token: "" }, path: "access_token", says: /./ },
    { settings: { ...settings, api_version: "26" }, path: "api_version", says: /v26/ },
    { settings: { ...settings, base_url: "graph" }, path: "base_url", says: /http/ },
    {
      settings: { ...settings, app_secret: undefined, prove_app_secret: true },
      path: "app_secret",
      says: /app_secret/,
    },
    { settings: { prove_app_secret: true }, path: "app_secret", says: /app_secret/ },
  ],
  http: {
    wire: [
      { name: "taken", result: answer(200, taken), outcome: { kind: "accepted", reference: wamid } },
      {
        name: "taken, and held for pacing",
        result: answer(200, {
          ...taken,
          messages: [{ id: wamid, message_status: "held_for_quality_assessment" }],
        }),
        outcome: {
          kind: "accepted",
          reference: wamid,
          note: "Meta holds the template until it has assessed its quality.",
        },
      },
      {
        name: "Meta's details and trace are in the reason, and a token in them is not",
        result: answer(400, {
          error: {
            message: "(#131026) Message undeliverable",
            code: 131026,
            error_data: { details: `Not with ${token}` },
            fbtrace_id: "AbC_1",
          },
        }),
        outcome: {
          kind: "rejected",
          code: "131026",
          reason: "WhatsApp error 131026: Message undeliverable · Not with *** (fbtrace_id AbC_1)",
        },
      },
    ],
    requests: [
      {
        name: "a text",
        request: {
          method: "POST",
          url: api,
          headers,
          body: body({ type: "text", text: { body: "Grüße & 100% {{to}} 🎉", preview_url: true } }),
        },
      },
      {
        name: "a text without preview, by a proven app and another account",
        settings: {
          prove_app_secret: true,
          preview_url: false,
          messaging_account_id: "77",
          api_version: "v25.0",
          base_url: "https://graph.example.com/",
        },
        request: {
          method: "POST",
          // printf %s TOKEN | openssl dgst -sha256 -hmac SECRET
          url: `https://graph.example.com/v25.0/${phoneNumberId}/messages?appsecret_proof=7553be0ad12572e5fb66962efdce21de96d97b62662647cf3abf0b1b4a2c8f07`,
          headers,
          body: `${body({ type: "text", text: { body: "Grüße & 100% {{to}} 🎉", preview_url: false } }).slice(0, -1)},"messaging_account_id":"77"}`,
        },
      },
    ],
  },
  callbacks: {
    sign,
    covers: { body: true, url: false },
    withoutSecret: (own: object) => ({ ...own, app_secret: undefined, verify_token: undefined }),
    cases: [
      {
        name: "the handshake",
        unsigned: { method: "GET", query: [["hub.challenge", "1158201444"]] },
        received: {
          kind: "received",
          receipts: [],
          inbound: [],
          reply: { contentType: "text/plain; charset=utf-8", body: "1158201444" },
        },
      },
      {
        name: "a handshake with markup for a challenge",
        unsigned: { method: "GET", query: [["hub.challenge", "<script>"]] },
        received: { kind: "malformed", reason: "The handshake has no challenge." },
      },
      {
        name: "delivered",
        unsigned: {
          body: callOf(
            change({
              statuses: [
                {
                  id: wamid,
                  status: "delivered",
                  timestamp: "1750263773",
                  recipient_id: "4915112345678",
                  biz_opaque_callback_data: "msg_01test",
                },
              ],
            }),
          ),
        },
        received: {
          kind: "received",
          receipts: [
            { status: "delivered", reference: wamid, messageId: "msg_01test", at: 1_750_263_773_000 },
          ],
          inbound: [],
        },
      },
      {
        name: "not JSON",
        unsigned: { body: Buffer.from("hello=1") },
        received: { kind: "malformed", reason: "The call has no entries." },
      },
    ],
  },
});

test("a handshake needs the verify token and the word `subscribe`", async () => {
  const right = sign({
    method: "GET",
    query: [["hub.challenge", "1"]],
    contentType: "",
    body: Buffer.alloc(0),
  });
  const kindWith = async (name: string, value: string) => {
    const query = new URLSearchParams(right.query);
    query.set(name, value);
    return (
      await whatsappCloud.receive({ ...right, query }, whatsappCloud.settings.parse(settings), toolsWith())
    ).kind;
  };
  assert.equal(await kindWith("hub.challenge", "2"), "received");
  assert.equal(await kindWith("hub.mode", "unsubscribe"), "forbidden");
  assert.equal(await kindWith("hub.verify_token", appSecret), "forbidden");
});

test("a text that is too long for WhatsApp makes no request; characters count, not code units", async () => {
  const outbound = scriptedOutbound(answer(200, taken));
  const sendText = (text: string) =>
    sendOnce(
      whatsappCloud,
      sampleMessage({ content: { kind: "text", text } }),
      whatsappCloud.settings.parse(settings),
      toolsWith({ outbound }),
    );
  assert.deepEqual(await sendText("a".repeat(4097)), {
    kind: "rejected",
    code: "message_too_long",
    reason: "WhatsApp takes 4096 characters of text at most.",
  });
  assert.deepEqual(outbound.requests, []);
  assert.equal((await sendText("🎉".repeat(4096))).kind, "accepted");
});

test("without a pace of its own a gateway sends 20 messages a second, and a pace that is set wins", () => {
  const rules = readFields(gatewayRules, {});
  const paced = (pace: object) => {
    const { per_second, concurrency } = paceOf({ ...rules.pace, ...pace }, whatsappCloud.defaultPace);
    return [per_second, concurrency];
  };
  assert.deepEqual(paced({}), [20, 8]);
  assert.deepEqual(paced({ per_second: 80, concurrency: 32 }), [80, 32]);
});
