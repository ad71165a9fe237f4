// The parts together, as a vendor's file puts them together.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { token } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { callbackUrl, sampleMessage, sendOnce, toolsWith } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";

const definition = {
  kind: "example",
  title: "Example",
  summary: "A vendor.",
  settings: smsSettings("https://sms.example", {
    user: fromField,
    password: secret().describe("The password."),
    callback_token: secret().optional().describe("The token."),
  }),
  url: ({ base_url }: { base_url: string }) => `${base_url}/send`,
  auth: ({ user, password }: { user: string; password: string }) => basic(user, password),
  answer: answerFormat({ vendor: "Example", reference: "$.id" }),
};
const example = defineHttpSms({
  ...definition,
  request: ({ to, text, reportUrl }, _settings, url) =>
    text === "" ? null : { url, json: { to, text, report: reportUrl } },
  callback: {
    proofs: [token],
    receipt: { reference: "$.id", status: "$.status", words: wordReader({ delivered: ["ok"] }) },
  },
});
const settings = example.settings.parse({
  user: "u",
  password: "p-1234567",
  callback_token: "t-1234567890123456",
});

test("a message becomes the request of its vendor, authenticated", async () => {
  const outbound = scriptedOutbound(answer(200, { id: "7" }));
  const outcome = await sendOnce(example, sampleMessage(), settings, toolsWith({ outbound }));
  assert.deepEqual(outcome, { kind: "accepted", reference: "7" });
  const [request] = outbound.requests;
  assert.equal(request?.url, "https://sms.example/send");
  assert.equal(request?.headers?.authorization, `Basic ${Buffer.from("u:p-1234567").toString("base64")}`);
  assert.equal(JSON.parse(String(request?.body)).report, toolsWith().messageUrl("msg_01test"));
});

test("a message that does not fit into the request is rejected, and nothing is sent", async () => {
  const outbound = scriptedOutbound(answer(200, { id: "7" }));
  const content = { kind: "text", text: "" } as const;
  const outcome = await sendOnce(example, sampleMessage({ content }), settings, toolsWith({ outbound }));
  assert.partialDeepStrictEqual(outcome, { kind: "rejected", code: "not_sendable" });
  assert.deepEqual(outbound.requests, []);
});

test("neither the password nor its encoded pair is in a reason", async () => {
  const pair = Buffer.from("u:p-1234567").toString("base64");
  const outbound = scriptedOutbound(answer(401, `no p-1234567, no ${pair}`));
  const outcome = await sendOnce(example, sampleMessage(), settings, toolsWith({ outbound }));
  assert.ok(outcome.kind === "deferred");
  assert.doesNotMatch(outcome.reason, /p-1234567|dTpw/);
});

test("callbacks are taken by vendors that define them, and by no others", async () => {
  const url = `${callbackUrl}?token=t-1234567890123456`;
  const call = {
    method: "POST",
    url,
    query: new URL(url).searchParams,
    headers: {},
    body: Buffer.from('{"id":"7","status":"ok"}'),
  };
  const received = await example.receive(call, settings, toolsWith());
  assert.deepEqual(received, {
    kind: "received",
    receipts: [{ status: "delivered", reference: "7" }],
    inbound: [],
  });
  assert.equal(defineHttpSms({ ...definition, kind: "mute", request: () => null }).receives, false);
});
