// A vendor's answer: accepted only with an id, otherwise by the vendor's own code, and in doubt where that cannot be known.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AnswerFormat, vendorOutcome } from "#gateways/vendor-outcome.ts";
import { now } from "./conformance-samples.ts";
import { judged } from "./judged.ts";
import { answer } from "./scripted-outbound.ts";

describe("outcomes", () => {
  const format: AnswerFormat = {
    vendor: "Vendor",
    reference: (json) =>
      typeof json === "object" && json !== null && "id" in json ? (json.id as string) : null,
    code: (json) => (typeof json === "object" && json !== null && "code" in json ? String(json.code) : null),
    faultOf: ({ code }) =>
      ({ m: "permanent", g: "configuration", l: "transient", d: "ambiguous" })[code] as ReturnType<
        NonNullable<AnswerFormat["faultOf"]>
      >,
    notAcceptedStatuses: () => [503],
  };
  const context = { secrets: () => ["s3cret-key"], now };
  const of = (status: number, body: object | string, headers: Record<string, string> = {}) => {
    const result = answer(status, body, headers);
    return judged(vendorOutcome(result, format, context), result);
  };

  test("accepted only with an id that can be stored", () => {
    assert.deepEqual(of(200, { id: "x" }), { kind: "accepted", reference: "x" });
    for (const body of [{ id: "" }, { id: "nul\0" }, { id: "x".repeat(300) }, {}, "<html>"]) {
      const reason = "Vendor answered 200 without a message id.";
      assert.deepEqual(of(200, body), { kind: "unknown", code: "unreadable_answer", reason });
    }
  });

  test("an answer that is no yes is kept: its status, and the start of its body without secrets", () => {
    const kept = (status: number, body: string) => {
      const outcome = vendorOutcome(answer(status, body), format, context);
      return outcome.kind === "accepted" ? null : outcome.answer;
    };
    assert.deepEqual(kept(429, '{"error":"slow down","key":"s3cret-key"}'), {
      status: 429,
      body: '{"error":"slow down","key":"***"}',
    });
    assert.equal(kept(500, "x".repeat(5_000))?.body.length, 1_000);
    assert.equal(kept(200, '{"id":"x"}'), null);
    const silent = vendorOutcome({ kind: "no_answer", reason: "x" }, format, context);
    assert.ok(silent.kind === "unknown" && silent.answer === undefined);
  });

  test("with how it ended, where the answer says so", () => {
    const receipt = { status: "undelivered", code: "x" } as const;
    const says = (input: typeof receipt | null) =>
      vendorOutcome(answer(200, { id: "x" }), { ...format, receipt: () => input }, context);
    assert.deepEqual(says(receipt), { kind: "accepted", reference: "x", receipt });
    assert.deepEqual(says(null), { kind: "accepted", reference: "x" });
  });

  test("by the vendor's code", () => {
    const reason = (code: string) => `Vendor error ${code}: No.`;
    const body = (code: string) => ({ code, message: "No." });
    assert.deepEqual(of(401, body("m")), { kind: "rejected", code: "m", reason: reason("m") });
    assert.deepEqual(of(400, body("g")), {
      kind: "deferred",
      code: "g",
      reason: reason("g"),
      gatewayFault: "refused",
    });
    assert.deepEqual(of(400, body("l"), { "retry-after": "7" }), {
      kind: "deferred",
      code: "l",
      reason: reason("l"),
      retryAfterMs: 7000,
    });
    assert.deepEqual(of(400, body("d")), { kind: "unknown", code: "d", reason: reason("d") });
    assert.deepEqual(of(400, body("new")), {
      kind: "rejected",
      mayBeGatewayFault: true,
      code: "new",
      reason: reason("new"),
    });
    assert.deepEqual(of(503, body("m")), { kind: "rejected", code: "m", reason: reason("m") });
  });

  test("a vendor's own header says how long a 429 lasts, unless Retry-After does", () => {
    const retryAfter = ({ headers }: { headers: Record<string, string> }) => headers["x-wait"];
    const waitOf = (status: number, headers: Record<string, string>) => {
      const outcome = vendorOutcome(answer(status, "", headers), { ...format, retryAfter }, context);
      return outcome.kind === "deferred" ? outcome.retryAfterMs : outcome.kind;
    };
    assert.equal(waitOf(429, { "x-wait": "7" }), 7000);
    assert.equal(waitOf(429, { "x-wait": "7", "retry-after": "soon" }), 7000);
    assert.equal(waitOf(429, { "x-wait": "7", "retry-after": "9" }), 9000);
    assert.equal(waitOf(429, {}), undefined);
    assert.equal(waitOf(503, { "x-wait": "7" }), undefined);
  });

  test("a 5xx that may have been taken, and a redirect, are not judged by a code", () => {
    assert.deepEqual(of(500, { code: "m" }), {
      kind: "unknown",
      code: "m",
      reason: 'Vendor error m: {"code":"m"}',
    });
    assert.equal(of(302, { code: "m" }).kind, "deferred");
    assert.equal(of(503, "").kind, "deferred");
  });

  test("a code that is odd, or a secret, is left out", () => {
    for (const code of ["", "a b", "x".repeat(65), "s3cret-key", "ü"]) {
      const outcome = of(400, { code, message: "No." });
      assert.deepEqual(outcome, {
        kind: "rejected",
        mayBeGatewayFault: true,
        code: "http_400",
        reason: "The provider answered 400: No.",
      });
    }
  });

  test("no answer at all is as it is for every provider", () => {
    assert.equal(vendorOutcome({ kind: "no_answer", reason: "x" }, format, context).kind, "unknown");
    assert.equal(
      vendorOutcome({ kind: "not_sent", code: "unreachable", reason: "x" }, format, context).kind,
      "deferred",
    );
  });
});
