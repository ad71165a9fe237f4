// The ways in which a gateway is connected, as the rest of the house sees them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineGateway } from "#gateways/gateway.ts";
import { secret } from "#settings/secrets.ts";
import { hostWith, sampleMessage } from "./conformance-samples.ts";

const head = { kind: "plain", channels: ["sms"], contents: ["text"], title: "Plain", summary: "S." } as const;

test("a call is a session that sends with the host's tools and the signal of the call", async () => {
  const calls: unknown[] = [];
  const calling = defineGateway({
    ...head,
    settings: z.strictObject({ key: secret() }),
    send: async ({ id }, { key }, tools) => {
      calls.push([id, key, tools.timeoutMs, tools.signal.aborted, Object.keys(tools).sort()]);
      return { kind: "accepted", reference: null };
    },
  });
  assert.ok(calling.connection === "on_demand");
  const session = await calling.open({ key: "k" }, hostWith({ timeoutMs: 77 }));
  const message = sampleMessage();
  await session.send(message, AbortSignal.abort());
  const names = ["callbackUrl", "clock", "dkim", "messageUrl", "outbound", "signal", "timeoutMs"];
  assert.deepEqual(calls, [[message.id, "k", 77, true, names]]);
});

test("messages that a device fetches are never sent", async () => {
  const pulled = defineGateway({ ...head, settings: z.strictObject({}), connection: "pulled" });
  assert.ok(pulled.connection === "pulled");
  await assert.rejects(pulled.open({}, hostWith({})), /kind plain do not send/);
});

test("what a session reports, and why it is not connected, shows no secret", async () => {
  const seen: unknown[] = [];
  const leaking = defineGateway({
    kind: "leaking",
    channels: ["sms"],
    contents: ["text"],
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
