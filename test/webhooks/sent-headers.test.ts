// The headers of a try, computed afterwards: with its signatures while the secrets that made them are known, otherwise without any.

import assert from "node:assert/strict";
import test from "node:test";
import { createSealer } from "#store/seal.ts";
import { endpointSecretContext } from "#store/webhooks/endpoints.ts";
import { sentHeaders } from "#webhooks/sent-headers.ts";
import { newSigningSecret, oldSecretMs, signatureHeader } from "#webhooks/sign.ts";
import { seededRandom } from "../harness.ts";
import { endpointOf } from "../store/endpoints.ts";

const random = seededRandom(1);
const sealer = createSealer("a master key that is only used in tests", random);
const [current, previous] = [newSigningSecret(random), newSigningSecret(random)];
const sealed = (text: string) => sealer.seal(text, endpointSecretContext("whe_1"));
const event = { id: "evt_1", body: '{"type":"message.sent"}' };
const rotatedAt = 1_800_000_000_000;
const once = { secret: sealed(current), old_secret: null, old_secret_until: null };
const rotated = {
  secret: sealed(current),
  old_secret: sealed(previous),
  old_secret_until: rotatedAt + oldSecretMs,
};

test("signed by the secrets of its time", () => {
  for (const [columns, at, secrets] of [
    [once, rotatedAt, [current]],
    [rotated, rotatedAt - 1, []],
    [rotated, rotatedAt, [current, previous]],
    [rotated, rotatedAt + oldSecretMs - 1, [current, previous]],
    [rotated, rotatedAt + oldSecretMs, [current]],
    [{ ...once, secret: "of another key" }, rotatedAt, []],
  ] as const) {
    const endpoint = endpointOf("acc_1", { id: "whe_1", ...columns });
    const seconds = Math.floor(at / 1000);
    assert.deepEqual(sentHeaders(sealer, endpoint, event, at), {
      "user-agent": "Trunkline",
      "content-type": "application/json",
      "webhook-id": "evt_1",
      "webhook-timestamp": String(seconds),
      ...(secrets.length === 0
        ? {}
        : { "webhook-signature": signatureHeader(secrets, event.id, seconds, event.body) }),
    });
  }
});

test("those of status callbacks are not computed: the key of the message signs them", () => {
  const endpoint = endpointOf("acc_1", { id: "whe_1", format: "twilio", ...once });
  assert.equal(sentHeaders(sealer, endpoint, event, rotatedAt), null);
});
