// How answers of vendors are read: verdicts, codes, and what may have been sent before.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerFormat, faultReader } from "#gateways/sms/engine/answer.ts";
import { vendorOutcome } from "#gateways/vendor-outcome.ts";
import { now } from "../../conformance-samples.ts";
import { judged } from "../../judged.ts";
import { answer } from "../../scripted-outbound.ts";

const format = answerFormat({
  vendor: "Example",
  statuses: [200, 207],
  verdict: { path: "$.m[0].state", accepted: ["ok"] },
  reference: "$.m[0].id",
  code: ["$.m[0].code", "$.error.code"],
  text: "$.error.text",
  faults: {
    configuration: [12, "CREDIT_*"],
    duplicate: [23],
    opted_out: [26],
    ambiguous: [18],
    transient: [43],
  },
});

const outcomeOf = (status: number, body: unknown, repeated = false) => {
  const result = answer(status, body);
  return judged(vendorOutcome(result, format, { secrets: () => [], now, repeated }), result);
};
const refused = (code: string | number) => ({ m: [{ state: "no", code }] });

test("the result in a 2xx decides, and then its code", () => {
  assert.deepEqual(outcomeOf(200, { m: [{ state: "ok", id: "1" }] }), { kind: "accepted", reference: "1" });
  assert.equal(outcomeOf(200, refused(99)).kind, "rejected");
  assert.deepEqual(outcomeOf(200, { m: [{ state: "strange" }] }), {
    kind: "rejected",
    mayBeGatewayFault: true,
    code: "strange",
    reason: 'Example refused it: {"m":[{"state":"strange"}]}',
  });
  assert.partialDeepStrictEqual(outcomeOf(200, refused("CREDIT_LOW")), {
    kind: "deferred",
    gatewayFault: "refused",
  });
  assert.equal(outcomeOf(200, refused(18)).kind, "unknown");
});

test("a 2xx that says neither yes nor no, or has another status, is unknown", () => {
  for (const body of ["", "<html>", {}, { m: [{ id: "1" }] }])
    assert.equal(outcomeOf(200, body).kind, "unknown");
  assert.equal(outcomeOf(202, { m: [{ state: "ok", id: "1" }] }).kind, "unknown");
});

test("a duplicate is the message itself if it may have been sent before, and otherwise comes again later", () => {
  assert.deepEqual(outcomeOf(200, refused(23), true), { kind: "accepted", reference: null });
  const first = outcomeOf(200, refused(23));
  assert.equal(first.kind, "deferred");
  assert.equal("gatewayFault" in first, false);
});

test("an opt-out has one code with all vendors", () => {
  assert.partialDeepStrictEqual(outcomeOf(400, { error: { code: 26, text: "STOP" } }), {
    kind: "rejected",
    code: "opted_out",
    reason: "Example error 26: STOP",
  });
});

test("a table goes before the status of a 4xx, and never makes a 5xx definite", () => {
  assert.equal(outcomeOf(400, { error: { code: 43 } }).kind, "deferred");
  assert.equal(outcomeOf(400, { error: { code: 1 } }).kind, "rejected");
  assert.equal(outcomeOf(500, { error: { code: 43 } }).kind, "unknown");
});

test("a vendor without ids accepts with any 2xx", () => {
  const anonymous = answerFormat({ vendor: "Example", reference: null });
  const outcome = vendorOutcome(answer(202, "0: Accepted"), anonymous, { secrets: () => [], now });
  assert.deepEqual(outcome, { kind: "accepted", reference: null });
});

test("an exact code goes before the beginning of one", () => {
  const faultOf = faultReader({ permanent: ["4*"], transient: ["43"] });
  assert.deepEqual(["43", "44", "5"].map(faultOf), ["transient", "permanent", undefined]);
});
