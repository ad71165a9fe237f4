// Every kind of Postmark event, with each type of bounce.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { postmark } from "#gateways/email/postmark/postmark.ts";
import { toolsWith } from "../../conformance-samples.ts";
import { fuzzEvents } from "../event-fuzz.ts";
import { at, bounce, callbackToken, called, event, reference, settings } from "./postmark-example.ts";

const own = postmark.settings.parse(settings);
const names = { reference, messageId: "msg_01test", at, recipient: "ada@example.com" };
const details = "smtp;550 5.1.1 The email account that you tried to reach does not exist.";

async function reports(payload: object) {
  const received = await postmark.receive(called(payload), own, toolsWith());
  assert.ok(received.kind === "received", JSON.stringify(received));
  return { receipts: received.receipts, engagements: received.engagements ?? [] };
}

describe("postmark: bounces", () => {
  test("types that end a mail", async () => {
    const expected: Record<string, string[]> = {
      hard: ["HardBounce", "BadEmailAddress"],
      soft: ["SoftBounce", "Unknown"],
      bounced: ["Blocked", "DMARCPolicy", "SpamNotification", "VirusNotification"],
      failed: ["ManuallyDeactivated", "Unconfirmed", "SMTPApiError", "TemplateRenderingFailed"],
    };
    for (const [meaning, types] of Object.entries(expected)) {
      for (const code of types) {
        const verdict = meaning === "hard" || meaning === "soft";
        const end = verdict ? { status: "bounced", bounce: meaning } : { status: meaning };
        assert.deepEqual(await reports(bounce(code)), {
          receipts: [{ ...end, ...names, code, reason: details }],
          engagements: [],
        });
      }
    }
  });

  test("types that do not", async () => {
    for (const type of ["Transient", "DnsError"]) {
      assert.deepEqual(await reports(bounce(type)), {
        receipts: [],
        engagements: [{ kind: "deferred", ...names, key: "901542550", reason: details }],
      });
    }
    const engagements = { SpamComplaint: "complained", Unsubscribe: "unsubscribed" };
    for (const [type, kind] of Object.entries(engagements)) {
      assert.equal((await reports(bounce(type))).engagements[0]?.kind, kind);
    }
    for (const type of [
      "AutoResponder",
      "AddressChange",
      "ChallengeVerification",
      "OpenRelayTest",
      "Subscribe",
    ]) {
      assert.deepEqual(await reports(bounce(type)), { receipts: [], engagements: [] }, type);
    }
  });

  test("a type that is new is classed by whether Postmark gave the address up", async () => {
    const [soft] = (await reports(bounce("Brandnew"))).receipts;
    assert.equal(soft?.bounce, "soft");
    const [hard] = (await reports(bounce("Brandnew", { Inactive: true, Details: "" }))).receipts;
    assert.deepEqual([hard?.bounce, hard?.code], ["hard", "Brandnew"]);
    assert.match(hard?.reason ?? "", /^The server was unable/);
  });
});

describe("postmark: engagements", () => {
  test("opened and clicked", async () => {
    const visit = { UserAgent: "Mozilla/5.0 (X)", Geo: { IP: "203.0.113.5", City: "Novi Sad" } };
    const client = { userAgent: "Mozilla/5.0 (X)", ip: "203.0.113.5" };
    const opened = event("Open", "ReceivedAt", { FirstOpen: true, ReadSeconds: 0, ...visit });
    assert.deepEqual((await reports(opened)).engagements, [{ kind: "opened", ...names, ...client }]);
    const clicked = event("Click", "ReceivedAt", { OriginalLink: "https://example.com/a", ...visit });
    assert.deepEqual((await reports(clicked)).engagements, [
      { kind: "clicked", ...names, url: "https://example.com/a", ...client },
    ]);
  });

  test("complained", async () => {
    const complaint = event("SpamComplaint", "BouncedAt", { ID: 7, Type: "SpamComplaint", Details: "" });
    assert.deepEqual((await reports(complaint)).engagements, [{ kind: "complained", ...names, key: "7" }]);
  });

  test("unsubscribed by the recipient, and by no one but them", async () => {
    const change = (more: object) =>
      event("SubscriptionChange", "ChangedAt", {
        Origin: "Recipient",
        SuppressSending: true,
        SuppressionReason: "ManualSuppression",
        ...more,
      });
    assert.deepEqual(await reports(change({})), {
      receipts: [],
      engagements: [{ kind: "unsubscribed", ...names }],
    });
    const others = [
      { Origin: "Admin" },
      { SuppressSending: false, SuppressionReason: null },
      { SuppressionReason: "HardBounce" },
      { SuppressionReason: "SpamComplaint" },
    ];
    for (const more of others) {
      assert.deepEqual(await reports(change(more)), { receipts: [], engagements: [] }, JSON.stringify(more));
    }
  });
});

test("postmark: the token counts as the password of Basic and as a Bearer token, and no other does", async () => {
  const delivered = called(event("Delivery", "DeliveredAt"));
  const as = async (authorization: string) =>
    (
      await postmark.receive(
        { ...delivered, query: new URLSearchParams(), headers: { authorization } },
        own,
        toolsWith(),
      )
    ).kind;
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;
  assert.equal(await as(basic(`postmark:${callbackToken}`)), "received");
  assert.equal(await as(`Bearer ${callbackToken}`), "received");
  assert.equal(await as(basic("postmark:other")), "forbidden");
  assert.equal(await as(`Bearer ${callbackToken}x`), "forbidden");
});

fuzzEvents(
  postmark,
  own,
  [
    event("Delivery", "DeliveredAt"),
    bounce("HardBounce"),
    bounce("Transient"),
    event("Click", "ReceivedAt", { OriginalLink: "https://a/", UserAgent: "x", Geo: { IP: "203.0.113.5" } }),
    event("SpamComplaint", "BouncedAt", { ID: 7 }),
    event("SubscriptionChange", "ChangedAt", { SuppressSending: true }),
  ],
  called,
);
