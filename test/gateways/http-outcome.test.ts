// What an HTTP status means where the provider has no table, and what of an answer may be shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOfFailure, providerText } from "#gateways/http-outcome.ts";
import { now } from "./conformance-samples.ts";
import { answer } from "./scripted-outbound.ts";

const reading = { secrets: () => [], now };

test("every status from 200 to 599 has the outcome that is documented", () => {
  const refused = [401, 402, 403, 404, 405, 406, 407, 410, 411, 415, 421, 426, 428];
  for (let status = 200; status < 600; status += 1) {
    const outcome = outcomeOfFailure(answer(status), reading);
    const trouble = outcome.kind === "deferred" ? (outcome.gatewayFault ?? "none") : "";
    const expected =
      status < 300 || status >= 500 || status === 408 || status === 409
        ? "unknown"
        : status === 429 || status === 425
          ? "deferred none"
          : status < 400 || refused.includes(status)
            ? "deferred refused"
            : "rejected";
    assert.equal(`${outcome.kind} ${trouble}`.trim(), expected, String(status));
    assert.equal(outcome.kind !== "accepted" && outcome.code, `http_${status}`);
  }
});

test("a definite status is put off, for as long as the provider asks", () => {
  const outcome = outcomeOfFailure(answer(503, "busy", { "retry-after": "9" }), {
    ...reading,
    notAcceptedStatuses: [503],
  });
  const reason = "The provider answered 503: busy";
  assert.deepEqual(outcome, { kind: "deferred", code: "http_503", reason, retryAfterMs: 9000 });
});

test("the provider's words are found where providers put them", () => {
  const words = new Map<unknown, string>([
    [{ error: { message: "no credit", code: 1 } }, "no credit"],
    [{ code: 21211, message: "bad number" }, "bad number"],
    [{ errors: [{ title: "Bad", detail: "too long" }] }, "too long"],
    [{ errors: ["first"] }, "first"],
    [{ error: "plain" }, "plain"],
    [{ odd: 1 }, '{"odd":1}'],
    ["just text\n", "just text"],
    ["<!doctype html><p>Sign in", ""],
    ["", ""],
  ]);
  for (const [body, text] of words) {
    assert.equal(providerText(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), []), text);
  }
});
