// Every kind of Resend event.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { resend } from "#gateways/email/resend/resend.ts";
import { now, toolsWith } from "../../conformance-samples.ts";
import { fuzzEvents } from "../event-fuzz.ts";
import { at, event, reference, settings, signed, signedBody, svixId } from "./resend-example.ts";

const own = resend.settings.parse(settings);
const names = { reference, messageId: "msg_01test", at, recipient: "ada@example.com" };

async function reports(payload: object) {
  const received = await resend.receive(signed(payload), own, toolsWith());
  assert.ok(received.kind === "received", JSON.stringify(received));
  return { receipts: received.receipts, engagements: received.engagements ?? [] };
}

describe("resend: events", () => {
  test("bounced, by type", async () => {
    const bounced = async (type: string, subType: string) =>
      (await reports(event("email.bounced", { bounce: { type, subType, message: "The words." } }))).receipts;
    const receipt = { status: "bounced", ...names, reason: "The words." };
    assert.deepEqual(await bounced("Permanent", "General"), [
      { ...receipt, code: "General", bounce: "hard" },
    ]);
    assert.deepEqual(await bounced("Permanent", "NoEmail"), [
      { ...receipt, code: "NoEmail", bounce: "hard" },
    ]);
    assert.deepEqual(await bounced("Transient", "MailboxFull"), [
      { ...receipt, code: "MailboxFull", bounce: "soft" },
    ]);
    assert.deepEqual(await bounced("Undetermined", "Undetermined"), [
      { ...receipt, code: "Undetermined", bounce: "soft" },
    ]);
  });

  test("mails to suppressed addresses were not sent", async () => {
    const receipts = [{ status: "failed", ...names, code: "suppressed", reason: "On the list." }];
    for (const subType of ["Suppressed", "OnAccountSuppressionList"]) {
      const bounce = { type: "Permanent", subType, message: "On the list." };
      assert.deepEqual((await reports(event("email.bounced", { bounce }))).receipts, receipts);
    }
    const suppressed = { type: "OnAccountSuppressionList", message: "On the list." };
    assert.deepEqual((await reports(event("email.suppressed", { suppressed }))).receipts, receipts);
  });

  test("failed", async () => {
    const failed = event("email.failed", { failed: { reason: "reached_daily_quota" } });
    assert.deepEqual(await reports(failed), {
      receipts: [{ status: "failed", ...names, code: "failed", reason: "reached_daily_quota" }],
      engagements: [],
    });
  });

  test("delayed, complained, opened and clicked", async () => {
    const kinds = { delivery_delayed: "deferred", complained: "complained", opened: "opened" };
    for (const [type, kind] of Object.entries(kinds)) {
      assert.deepEqual(await reports(event(`email.${type}`)), {
        receipts: [],
        engagements: [{ kind, ...names, key: svixId }],
      });
    }
    const click = {
      ipAddress: "203.0.113.5",
      link: "https://example.com/test",
      timestamp: "2026-11-20T11:21:35.257Z",
      userAgent: "Mozilla/5.0 (X)",
    };
    assert.deepEqual((await reports(event("email.clicked", { click }))).engagements, [
      {
        kind: "clicked",
        ...names,
        key: svixId,
        url: "https://example.com/test",
        userAgent: "Mozilla/5.0 (X)",
        ip: "203.0.113.5",
      },
    ]);
  });

  test("of no concern: what the answer said already, and other things than mails", async () => {
    for (const type of [
      "email.sent",
      "email.scheduled",
      "email.received",
      "contact.created",
      "domain.updated",
    ]) {
      assert.deepEqual(await reports(event(type)), { receipts: [], engagements: [] });
    }
  });
});

test("resend: another secret, and a call that is replayed after five minutes, are forbidden", async () => {
  const body = Buffer.from(JSON.stringify(event("email.delivered")));
  const other = `whsec_${Buffer.from("another secret, as long.").toString("base64")}`;
  const kind = async (callback: ReturnType<typeof signed>, clockNow = now) => {
    const clock = { ...toolsWith().clock, now: () => clockNow };
    return (await resend.receive(callback, own, toolsWith({ clock }))).kind;
  };
  assert.equal(await kind(signedBody(body)), "received");
  assert.equal(await kind(signedBody(body, other)), "forbidden");
  assert.equal(await kind(signedBody(body), now + 301_000), "forbidden");
});

fuzzEvents(
  resend,
  own,
  [
    event("email.delivered"),
    event("email.bounced", { bounce: { type: "Permanent", subType: "General", message: "x" } }),
    event("email.failed", { failed: { reason: "x" } }),
    event("email.suppressed", { suppressed: { message: "x" } }),
    event("email.clicked", { click: { link: "https://a/", ipAddress: "203.0.113.5", userAgent: "x" } }),
    event("email.opened"),
  ],
  signed,
);
