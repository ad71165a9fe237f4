// What people see of their messages having been read.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { InboundMessage } from "#gateways/callback.ts";
import { whatsappCloud } from "#gateways/whatsapp/cloud/cloud.ts";
import { markRead } from "#gateways/whatsapp/cloud/mark-read.ts";
import { toolsWith } from "../../conformance-samples.ts";
import { scriptedOutbound } from "../../scripted-outbound.ts";
import { callOf, change } from "../meta-callbacks.ts";
import { parsedSettings, sign } from "./cloud-example.ts";

const inbound = (from: string, reference: string, sentAt: number): InboundMessage => ({
  reference,
  from,
  to: "+1",
  message: "Hi",
  media: [],
  sentAt,
});

test("the last message of each person is reported, once, with every answer of Meta", async () => {
  const outbound = scriptedOutbound({ kind: "no_answer", reason: "cut" });
  const messages = Array.from({ length: 30 }, (_, i) => inbound(`+1${i % 10}`, `wamid.${i}`, i));
  await markRead(messages.toReversed(), parsedSettings(), { outbound });
  const marked = outbound.requests.map(({ body }) => JSON.parse(String(body)));
  assert.deepEqual(
    marked.map(({ message_id }) => message_id).sort(),
    Array.from({ length: 10 }, (_, i) => `wamid.${20 + i}`),
  );
  assert.ok(marked.every(({ status }) => status === "read"));
});

test("a callback asks for it only where the settings do", async () => {
  const message = {
    id: "wamid.1",
    from: "1555",
    timestamp: "1750263773",
    type: "text",
    text: { body: "Hi" },
  };
  const callback = sign({
    method: "POST",
    query: [],
    contentType: "application/json",
    body: callOf(change({ messages: [message] })),
  });
  for (const mark_read of [false, true]) {
    const outbound = scriptedOutbound({ kind: "no_answer", reason: "cut" });
    const received = await whatsappCloud.receive(
      callback,
      parsedSettings({ mark_read }),
      toolsWith({ outbound }),
    );
    assert.ok(received.kind === "received");
    assert.equal(outbound.requests.length, 0);
    await received.afterStored?.();
    assert.equal(outbound.requests.length, mark_read ? 1 : 0);
  }
});
