// The contract's own defaults: what a definition that says nothing gets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineGateway } from "#gateways/gateway.ts";
import { secret } from "#settings/secrets.ts";
import { hostWith, sendOnce, toolsWith } from "./conformance-samples.ts";

const plain = defineGateway({
  kind: "plain",
  channels: ["sms"],
  title: "Plain",
  summary: "A gateway that says nothing about itself.",
  settings: z.strictObject({ key: secret() }),
  send: async (_message, own) => ({ kind: "accepted", reference: own.key }),
});

test("a definition without more holds what is unknown, is no test and takes no callbacks", async () => {
  assert.equal(plain.onUnknown, "hold");
  assert.equal(plain.test, false);
  assert.equal(plain.receives, false);
  assert.deepEqual(plain.urls({ key: "k" }), []);
  assert.equal(plain.timeoutMs({ key: "k" }), 30_000);
  assert.equal(plain.email({ key: "k" }), null);
  const callback = {
    method: "POST",
    url: "",
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.alloc(0),
  };
  assert.equal((await plain.receive(callback, { key: "k" }, toolsWith())).kind, "not_taken");
  const message = { id: "msg_1", channel: "sms" as const, recipient: "+1", message: "", attempt: 1 };
  assert.deepEqual(await sendOnce(plain, message, { key: "k" }, toolsWith()), {
    kind: "accepted",
    reference: "k",
  });
});

test("a secret is never empty, and stays flagged when it is described or narrowed", () => {
  assert.equal(secret().safeParse("").success, false);
  for (const field of [secret(), secret().describe("A key."), secret().min(8).describe("A key.")]) {
    assert.deepEqual({ ...field.meta(), description: undefined }, { secret: true, description: undefined });
  }
});

test("what a session reports, and why it is not connected, shows no secret", async () => {
  const seen: unknown[] = [];
  const leaking = defineGateway({
    kind: "leaking",
    channels: ["sms"],
    title: "Leaking",
    summary: "A gateway whose provider repeats what it was sent.",
    settings: z.strictObject({ key: secret() }),
    connection: "held",
    open: async ({ key }, host) => {
      host.status({ kind: "disconnected", reason: `wrong password ${key}` });
      await host.report({ receipts: [{ reference: "r", status: "failed", code: key, reason: `no ${key}` }] });
      host.fail(`refused ${key}`);
      return { send: async () => ({ kind: "accepted", reference: null }), close: async () => {} };
    },
  });
  const host = hostWith({
    report: async (report) => void seen.push(report),
    status: (status) => seen.push(status),
    fail: (reason) => seen.push(reason),
  });
  await leaking.open({ key: "kernel-panic-42" }, host);
  assert.equal(seen.length, 3);
  assert.doesNotMatch(JSON.stringify(seen), /kernel-panic/);
  assert.equal(leaking.connection, "held");
});
