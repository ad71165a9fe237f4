// What proves a callback, and what a refusal says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { atMessageUrl, forbidden, messageUrl, notConfigured, token } from "#gateways/sms/engine/proof.ts";
import { callbackUrl, toolsWith } from "../../conformance-samples.ts";

const tools = toolsWith();
const at = (url: string) => ({
  method: "POST",
  url,
  query: new URL(url).searchParams,
  headers: {},
  body: Buffer.alloc(0),
});

test("a URL that was made for a message proves that message", async () => {
  const url = tools.messageUrl("msg_1") ?? "";
  assert.deepEqual(await messageUrl(at(url), {}, tools), {
    kind: "proved",
    covers: "call",
    messageId: "msg_1",
  });
  for (const wrong of [
    url.replace("msg_1", "msg_2"),
    `${url}&m=msg_2`,
    callbackUrl,
    `${callbackUrl}?m=msg_1&k=`,
  ])
    assert.equal((await messageUrl(at(wrong), {}, tools)).kind, "forbidden", wrong);
});

test("a signed body at the URL of a message is about that message, and elsewhere about any", async () => {
  const signed = atMessageUrl(() => ({ kind: "proved", covers: "body" }));
  const url = tools.messageUrl("msg_1") ?? "";
  const body = { kind: "proved", covers: "body" };
  assert.deepEqual(await signed(at(url), {}, tools), { ...body, messageId: "msg_1" });
  assert.deepEqual(await signed(at(url.replace("msg_1", "msg_2")), {}, tools), body);
  const refusal = await atMessageUrl(() => forbidden("Wrong."))(at(url), {}, tools);
  assert.equal(refusal.kind, "forbidden", "the URL alone proves nothing");
});

test("a token proves every report, and none is accepted while it is not set", async () => {
  const settings = { callback_token: "a-token-of-16-chars" };
  assert.deepEqual(await token(at(`${callbackUrl}?token=a-token-of-16-chars`), settings, tools), {
    kind: "proved",
    covers: "call",
  });
  assert.equal((await token(at(`${callbackUrl}?token=other`), settings, tools)).kind, "forbidden");
  for (const unset of [{}, { callback_token: "" }])
    assert.equal((await token(at(`${callbackUrl}?token=`), unset, tools)).kind, "not_configured");
});

test("refusals say what is missing", () => {
  assert.deepEqual(notConfigured("signing key"), {
    kind: "not_configured",
    reason: "The gateway has no signing key.",
  });
  assert.deepEqual(forbidden("Wrong."), { kind: "forbidden", reason: "Wrong." });
});
