// What an HTTP status means where the provider has no table, and what of an answer may be shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanText, outcomeOfFailure, providerText, retryAfter } from "#gateways/http-outcome.ts";
import { now } from "./conformance-samples.ts";
import { answer } from "./scripted-outbound.ts";

const reading = { secrets: () => [], now };

test("every status from 200 to 599 has the outcome that is documented", () => {
  const refused = [401, 402, 403, 404, 405, 406, 407, 410, 411, 415, 421, 426, 428];
  for (let status = 200; status < 600; status += 1) {
    const outcome = outcomeOfFailure(answer(status), reading);
    const trouble = outcome.kind === "deferred" ? (outcome.gatewayFault ?? "none") : "";
    const wanted =
      status < 300 || status >= 500 || status === 408 || status === 409
        ? "unknown"
        : status === 429 || status === 425
          ? "deferred none"
          : status < 400 || refused.includes(status)
            ? "deferred refused"
            : "rejected";
    assert.equal(`${outcome.kind} ${trouble}`.trim(), wanted, String(status));
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

test("Retry-After is granted an hour, unless the caller grants more", () => {
  assert.deepEqual(retryAfter("86400", 0), { retryAfterMs: 3_600_000 });
  assert.deepEqual(retryAfter("86400", 0, 36_000_000), { retryAfterMs: 36_000_000 });
  assert.deepEqual(retryAfter("soon", 0, 36_000_000), {});
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

test("text from outside becomes one clean line, cut between characters", () => {
  assert.equal(cleanText("a\r\n\tb\u0000\u202ec\ud800", []), "a b c\ufffd");
  assert.equal(cleanText("🎉".repeat(300), []), `${"🎉".repeat(199)}…`);
  assert.equal(cleanText("x".repeat(200), []), "x".repeat(200));
});

test("secrets are masked in every spelling, and before the text is cut", () => {
  const secret = 'p/ss "w\u00f6rd"';
  for (const spelling of [
    secret,
    encodeURIComponent(secret),
    'p/ss \\"w\u00f6rd\\"',
    "p%2Fss+%22w%C3%B6rd%22",
    secret.toUpperCase(),
  ]) {
    assert.equal(cleanText(`key ${spelling} is wrong`, [secret]), "key *** is wrong", spelling);
  }
  assert.equal(cleanText(`${"-".repeat(196)}topsecret`, ["topsecret"]), `${"-".repeat(196)}***`);
  assert.equal(cleanText("abcdef", ["abc", "", "abcde"]), "***f", "the longest first; tiny ones are left");
  assert.equal(cleanText("a.c+ axc+", ["a.c+"]), "*** axc+", "a secret is no pattern");
});

test("of a very long text the beginning is read, and no half of a secret is shown", () => {
  const secret = "s".repeat(40);
  const read = 64 * 1024;
  assert.equal(cleanText(`${"a ".repeat(1_000_000)}`, [secret]).length, 200);
  for (const blanks of [read - 20, read - 39, read - 40]) {
    assert.equal(
      cleanText(`${" ".repeat(blanks)}${secret}${"x".repeat(read)}`, [secret]).includes("s"),
      false,
    );
  }
  assert.equal(cleanText(`no: ${" ".repeat(read - 100)}${secret}`, [secret]), "no: ***");
});
