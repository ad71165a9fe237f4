// Of all that an adapter makes of a callback, no secret of the gateway's settings is in what is handed on, in no spelling
// and not by half.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import type { Received } from "#gateways/callback.ts";
import { defineGateway } from "#gateways/gateway.ts";
import { redactReceived } from "#gateways/redact.ts";
import { secret } from "#settings/secrets.ts";
import { toolsWith } from "./conformance-samples.ts";

const key = 'k3y+/=%"&0123456789abcdef';
const spelled = [key, encodeURIComponent(key), JSON.stringify(key)];

const saying = (words: string, code = "550"): Received => ({
  kind: "received",
  receipts: [{ status: "bounced", reference: "p-1", code, reason: words, bounce: "hard" }],
  inbound: [],
  engagements: [{ kind: "deferred", reference: "p-1", key: "e-1", reason: words }],
});

test("a secret is masked in every spelling, in receipts and in what is reported beside them", () => {
  for (const words of spelled) {
    const redacted = redactReceived(saying(`It was ${words}.`), [key]);
    assert.doesNotMatch(JSON.stringify(redacted), /0123456789|k3y/);
    assert.match(JSON.stringify(redacted), /It was "?\\?"?\*\*\*/);
  }
  assert.deepEqual(redactReceived(saying("550 No such user"), [key]), saying("550 No such user"));
  assert.deepEqual(redactReceived({ kind: "received", receipts: [], inbound: [] }, [key]), {
    kind: "received",
    receipts: [],
    inbound: [],
  });
});

test("a secret is masked before the words are cut", () => {
  for (let before = 260; before <= 300; before += 1) {
    const redacted = redactReceived(saying(`${"x".repeat(before)}${key} and on and on`), [key]);
    assert.doesNotMatch(JSON.stringify(redacted), /k3y/, `${before}`);
    assert.ok(redacted.kind === "received" && [...(redacted.receipts[0]?.reason ?? "")].length <= 300);
  }
});

test("a code with a secret in it is left out, and words that come to nothing too", () => {
  const plain = "abcdef0123456789";
  const redacted = redactReceived(saying(" \u0000 ", `x-${plain}`), [plain]);
  assert.deepEqual(redacted.kind === "received" && redacted.receipts, [
    { status: "bounced", reference: "p-1", bounce: "hard" },
  ]);
  assert.deepEqual(redacted.kind === "received" && redacted.engagements, [
    { kind: "deferred", reference: "p-1", key: "e-1" },
  ]);
});

test("why a callback is refused is masked too, and every definition is discreet by itself", async () => {
  const gateway = defineGateway({
    kind: "loud",
    channels: ["sms"],
    contents: ["text"],
    title: "Loud",
    summary: "Says what the test asks for.",
    settings: z.strictObject({ nested: z.strictObject({ key: secret().optional() }) }),
    encodedSecrets: ({ nested }) => [Buffer.from(`user:${nested.key}`).toString("base64")],
    send: async () => ({ kind: "accepted", reference: null }),
    receive: ({ body }, own) =>
      body.length === 0
        ? { kind: "malformed", reason: `No body for ${own.nested.key}.` }
        : saying(body.toString()),
  });
  const call = (body: string) => {
    const bytes = Buffer.from(body);
    const request = { method: "POST", url: "", query: new URLSearchParams(), headers: {}, body: bytes };
    return gateway.receive(request, { nested: { key } }, toolsWith());
  };
  assert.deepEqual(await call(""), { kind: "malformed", reason: "No body for ***." });
  assert.deepEqual(await call(`Wrong: ${key}`), saying("Wrong: ***"));
  const spelled = Buffer.from(`user:${key}`).toString("base64");
  assert.deepEqual(await call(`Wrong: ${spelled}`), saying("Wrong: ***"));
});
