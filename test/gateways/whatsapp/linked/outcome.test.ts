// What becomes of a message by what the bridge tells: sent by WhatsApp's answer alone, unknown once it may have left.

import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf } from "#gateways/whatsapp/linked/outcome.ts";
import type { SendResult } from "#gateways/whatsapp/linked/protocol.ts";
import { sampleMessage } from "../../conformance-samples.ts";

const of = (result: SendResult, attempt = 1) => {
  const { kind, ...more } = outcomeOf(result, "3EB0", { ...sampleMessage(), attempt });
  const { code, gatewayFault } = more as { code?: string; gatewayFault?: string };
  return [kind, code ?? null, gatewayFault ?? null];
};
const acked = (error: string | null): SendResult => ({ kind: "acked", error });
const unsent = (why: (SendResult & { kind: "not_sent" })["why"]): SendResult => ({ kind: "not_sent", why });

test("the server's answer is the acceptance, with our own id as reference", () => {
  const message = sampleMessage();
  assert.deepEqual(outcomeOf(acked(null), "3EB0", message), { kind: "accepted", reference: "3EB0" });
  assert.deepEqual(outcomeOf({ kind: "acked", error: null, knownAs: "+551187650001" }, "3EB0", message), {
    kind: "accepted",
    reference: "3EB0",
    knownAs: "+551187650001",
  });
  const url = "https://files.example/a.mp3";
  const audio = { kind: "media", media: "audio", url, filename: null, text: "Listen" } as const;
  const outcome = outcomeOf(acked(null), "3EB0", { ...message, content: audio });
  assert.match(outcome.kind === "accepted" ? (outcome.note ?? "") : "", /^caption_not_sent/);
});

test("what left without an answer is unknown", () => {
  assert.deepEqual(of({ kind: "left" }), ["unknown", "no_ack", null]);
});

test("refusals by their number", () => {
  assert.deepEqual(of(acked("463")), ["deferred", "463", null]);
  assert.deepEqual(of(acked("479")), ["deferred", "479", null]);
  assert.deepEqual(of(acked("479"), 2), ["rejected", "479", null]);
  assert.deepEqual(of(acked("401")), ["deferred", "401", "refused"]);
  assert.deepEqual(of(acked("421")), ["rejected", "421", null]);
});

test("what did not leave is tried again, or refused when that helps nothing", () => {
  assert.deepEqual(of(unsent("closed")), ["deferred", "not_connected", "unreachable"]);
  assert.deepEqual(of(unsent("not_on_whatsapp")), ["rejected", "not_on_whatsapp", null]);
  assert.deepEqual(of(unsent("no_devices")), ["deferred", "no_devices", null]);
  assert.deepEqual(of(unsent("no_devices"), 2), ["rejected", "no_devices", null]);
  assert.deepEqual(of(unsent("check_failed")), ["deferred", "check_failed", null]);
  assert.deepEqual(of(unsent("throttled")), ["deferred", "throttled", null]);
  assert.deepEqual(of(unsent("failed"), 2), ["deferred", "not_encrypted", null]);
  assert.deepEqual(of(unsent("failed"), 3), ["rejected", "not_encrypted", null]);
});
