// Meta's webhooks: statuses, skipped updates, and calls as long as Meta makes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readWebhook } from "#gateways/whatsapp/cloud/webhook.ts";
import { now } from "../../conformance-samples.ts";
import { phoneNumberId } from "../graph-simulator.ts";
import { callOf, change } from "../meta-callbacks.ts";

const read = (...changes: object[]) => {
  const received = readWebhook(callOf(...changes), { phone_number_id: phoneNumberId }, now);
  assert.ok(received.kind === "received", JSON.stringify(received));
  return received;
};

test("each status, and none that is not known", () => {
  const words = ["sent", "delivered", "read", "played", "warned"];
  const { receipts, ignored } = read(
    change({ statuses: words.map((status) => ({ id: `wamid.${status}`, status, timestamp: "1750263773" })) }),
  );
  assert.deepEqual(
    receipts.map(({ reference, status }) => [reference, status]),
    [
      ["wamid.sent", "sent"],
      ["wamid.delivered", "delivered"],
      ["wamid.read", "read"],
      ["wamid.played", "read"],
    ],
  );
  assert.deepEqual(ignored, ["unknown"]);
});

test("a failure has Meta's code and words; odd data names no message of ours", () => {
  const { receipts } = read(
    change({
      statuses: [
        {
          id: "wamid.late",
          status: "failed",
          biz_opaque_callback_data: "order 7",
          errors: [
            {
              code: 131047,
              title: "Re-engagement message",
              message: "Re-engagement message",
              error_data: { details: "More than 24 hours have passed." },
            },
          ],
        },
        { id: "wamid.mute", status: "failed" },
      ],
    }),
  );
  assert.deepEqual(receipts, [
    {
      status: "undelivered",
      code: "131047",
      reason: "Re-engagement message · More than 24 hours have passed.",
      reference: "wamid.late",
    },
    { status: "undelivered", reference: "wamid.mute" },
  ]);
});

test("a text that Meta takes and refuses later for a closed window comes back where it has another form", () => {
  const late = (code: number, settings: object) => {
    const statuses = [{ id: "wamid.late", status: "failed", errors: [{ code }] }];
    const addressed = { phone_number_id: phoneNumberId, ...settings };
    const received = readWebhook(callOf(change({ statuses })), addressed, now);
    return received.kind === "received" ? received.receipts[0]?.status : null;
  };
  assert.equal(late(131047, { outside_window: "template" }), "returned");
  assert.equal(late(131047, { outside_window: "reject", direct_send: "utility" }), "returned");
  assert.equal(late(131047, { outside_window: "send", direct_send: null }), "undelivered");
  assert.equal(late(131026, { outside_window: "template" }), "undelivered");
});

test("what is about another number, another field or nothing is skipped and counted, and the rest is read", () => {
  const statuses = [{ id: "wamid.1", status: "sent" }];
  const { receipts, inbound, ignored } = read(
    change({ statuses: [...statuses, ...statuses], messages: [{ id: "wamid.2" }] }, "999"),
    { field: "account_update", value: { event: "VERIFIED_ACCOUNT" } },
    { field: "messages", value: null },
    change({}),
    change({ statuses, messages: [{ id: "wamid.3", type: "system", from: "4915112345678" }] }),
  );
  assert.equal(receipts.length, 1);
  assert.deepEqual(inbound, []);
  assert.deepEqual(ignored, [
    ...["other_number", "other_number", "other_number"],
    "unknown",
    "other_number",
    "unknown",
    "unknown",
  ]);
});

test("a thousand updates with errors and prices are one call", () => {
  const statuses = Array.from({ length: 1000 }, (_, i) => ({
    id: `wamid.${i}`,
    status: "failed",
    timestamp: "1750263773",
    recipient_id: "4915112345678",
    pricing: { billable: false, pricing_model: "PMP", type: "regular", category: "service" },
    errors: [
      { code: 131026, title: "Undeliverable", error_data: { details: "x".repeat(2000) }, href: "https" },
    ],
  }));
  const changes = statuses.map((status) => change({ contacts: [{ wa_id: "1" }], statuses: [status] }));
  assert.equal(read(...changes).receipts.length, 1000);
});

test("nesting and values beyond Meta's are refused before they are parsed", () => {
  for (const body of [`{"entry":${"[".repeat(40)}${"]".repeat(40)}}`, `{"entry":[${"0,".repeat(210_000)}0]}`])
    assert.equal(readWebhook(Buffer.from(body), { phone_number_id: phoneNumberId }, now).kind, "malformed");
});

test("errors of the number are shown at the gateway, and those that are its own pause it", () => {
  const errors = [
    { code: 131042, title: "Business eligibility payment issue" },
    { code: 130429, message: "Rate limit hit", title: "Rate limit" },
  ];
  const { accountUpdates, ignored } = read(change({ errors }), change({ errors }, "999"));
  assert.deepEqual(accountUpdates, [
    {
      at: now,
      notice: "WhatsApp error 131042: Business eligibility payment issue",
      pauseUntil: now + 15 * 60_000,
    },
    { at: now, notice: "WhatsApp error 130429: Rate limit hit" },
  ]);
  assert.deepEqual(ignored, ["other_number"]);
});
