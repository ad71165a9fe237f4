// What an event names and tells is only handed on as far as it can be stored and looked up.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  accountFaultUpdate,
  bareMessageId,
  clientInfo,
  eventIds,
  eventKey,
  eventTime,
  isFresh,
  omitUndefined,
  parseMessageId,
  reasonText,
  receivedReports,
} from "#gateways/vendor-event.ts";
import { now } from "./conformance-samples.ts";

test("an event names a mail by the vendor's id, by ours, or not at all", () => {
  assert.deepEqual(eventIds("abc", "msg_1", 5), { reference: "abc", messageId: "msg_1", at: 5 });
  assert.deepEqual(eventIds("abc", "some tag", undefined), { reference: "abc" });
  assert.deepEqual(eventIds(null, "msg_1", undefined), { reference: null, messageId: "msg_1" });
  assert.equal(eventIds(null, null, 5), null);
  assert.equal(eventIds("", "msg_", 5), null);
  assert.equal(eventIds("a\u0000", "msg_1\n", 5), null);
  assert.equal(eventIds("x".repeat(256), `msg_${"x".repeat(99)}`, 5), null);
});

test("reports are parted into receipts and engagements, each in its order", () => {
  const receipt = { status: "delivered", reference: "a" } as const;
  const engagement = { kind: "opened", reference: "a" } as const;
  assert.deepEqual(receivedReports([]), { kind: "received", receipts: [], inbound: [] });
  assert.deepEqual(receivedReports([engagement, receipt, { ...receipt, reference: "b" }]), {
    kind: "received",
    receipts: [receipt, { ...receipt, reference: "b" }],
    inbound: [],
    engagements: [engagement],
  });
});

test("a Message-ID is the same with and without its brackets", () => {
  assert.equal(bareMessageId("<1@example.com>"), "1@example.com");
  assert.equal(bareMessageId(" <1@example.com> "), "1@example.com");
  assert.equal(bareMessageId("1@example.com"), "1@example.com");
  assert.equal(bareMessageId("<>"), "");
  assert.equal(bareMessageId(null), null);
});

test("an event's id is a key as long as it can be stored", () => {
  for (const id of ["CCXMjJ7nQi2N3BPigGOdgQ", "901542550", "a.b:c=+/@-"]) assert.equal(eventKey(id), id);
  for (const id of [null, "", "a b", "a\u0000", "\ud800", "ü", "x".repeat(101)])
    assert.equal(eventKey(id), undefined);
});

test("fields that are not there are left out", () => {
  const event: { a: number; b?: string | undefined } = { a: 0, b: undefined };
  assert.deepEqual(Object.keys(omitUndefined<{ a: number; b?: string }>({ a: event.a, b: event.b })), ["a"]);
});

test("of a visit what can be stored is reported", () => {
  const visit = { url: "https://example.com/ü?a=1#b", userAgent: " Mozilla/5.0\r\n(X)", ip: "2001:db8::1" };
  assert.deepEqual(clientInfo(visit), { ...visit, userAgent: "Mozilla/5.0 (X)" });
  assert.deepEqual(clientInfo({ url: "https://a/\r\nb", userAgent: "\u0000", ip: "not one" }), {});
  assert.deepEqual(clientInfo({ url: `https://a/${"x".repeat(5000)}`, userAgent: null, ip: "" }), {});
  assert.equal(clientInfo({ userAgent: "x".repeat(900) }).userAgent?.length, 500);
});

describe("events", () => {
  test("our id is taken only where it is one", () => {
    assert.equal(parseMessageId("msg_01test"), "msg_01test");
    for (const none of [null, undefined, "", "msg_", "msg_a b", "acc_1", "xmsg_1", `msg_${"x".repeat(61)}`]) {
      assert.equal(parseMessageId(none), undefined);
    }
  });

  test("times come as seconds or as ISO 8601 with a zone", () => {
    const times = new Map<string | null | undefined, number | undefined>([
      ["1513299569", 1_513_299_569_000],
      ["1513299569.1235", 1_513_299_569_124],
      ["2017-08-05T00:41:02.669Z", Date.UTC(2017, 7, 5, 0, 41, 2, 669)],
      ["2017-08-05T00:41:02+02:00", Date.UTC(2017, 7, 4, 22, 41, 2)],
      ["2017-08-05T00:41:02", undefined],
      ["2017-13-05T00:41:02Z", undefined],
      ["1513299569000", undefined],
      ["-1", undefined],
      ["yesterday", undefined],
      ["", undefined],
      [null, undefined],
      [undefined, undefined],
    ]);
    for (const [text, at] of times) assert.equal(eventTime(text), at, String(text));
  });

  test("three days back and an hour ahead are fresh", () => {
    const hour = 3_600_000;
    assert.ok(isFresh(now, now) && isFresh(now - 71 * hour, now) && isFresh(now + hour - 1, now));
    assert.ok(!isFresh(undefined, now) && !isFresh(now - 72 * hour, now) && !isFresh(now + hour, now));
  });

  test("words are one line, and whole: what masks them has to know all of a secret", () => {
    assert.equal(reasonText(" 550\r\n 5.1.1\u0000 no\tuser "), "550 5.1.1 no user");
    assert.equal(reasonText("x".repeat(999)), "x".repeat(999));
    for (const none of [null, undefined, "", " \n"]) assert.equal(reasonText(none), undefined);
  });
});

test("a fault of the account pauses for five minutes from when it happened", () => {
  assert.deepEqual(accountFaultUpdate("900", "No credit.", now), {
    at: now,
    notice: "The provider took messages, and failed one for a fault of the account (900). No credit.",
    pauseUntil: now + 300_000,
  });
});
