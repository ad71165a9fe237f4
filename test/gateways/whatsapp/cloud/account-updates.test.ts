// What Meta reports of the number and the account: what is shown, what pauses the gateway, and what is another's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readWebhook } from "#gateways/whatsapp/cloud/webhook.ts";
import { now } from "../../conformance-samples.ts";
import { businessAccountId, phoneNumberId } from "../graph-simulator.ts";
import { accountCallOf, callOf, change } from "../meta-callbacks.ts";

const addressed = { phone_number_id: phoneNumberId, business_account_id: businessAccountId };
const time = 1_750_263_773_000;

function read(body: Buffer, settings: Parameters<typeof readWebhook>[1] = addressed) {
  const received = readWebhook(body, settings, now);
  assert.ok(received.kind === "received", JSON.stringify(received));
  return received;
}
const updatesOf = (field: string, value: object) => read(accountCallOf(field, value)).accountUpdates ?? [];

test("a restriction and a ban pause the gateway for an hour of Meta's clock; a reinstatement lifts it", () => {
  const restricted = updatesOf("account_update", {
    event: "ACCOUNT_RESTRICTION",
    restriction_info: [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING", expiration: 1 }],
  });
  const notice = "Meta reported on the account: ACCOUNT_RESTRICTION (RESTRICTED_BIZ_INITIATED_MESSAGING).";
  assert.deepEqual(restricted, [{ notice, at: time, pauseUntil: time + 3_600_000 }]);
  const ban = (state: string) =>
    updatesOf("account_update", { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: state } })[0];
  assert.deepEqual([ban("DISABLE")?.pauseUntil, ban("DISABLE")?.lifted], [time + 3_600_000, undefined]);
  assert.deepEqual([ban("REINSTATE")?.pauseUntil, ban("REINSTATE")?.lifted], [undefined, true]);
  assert.equal(ban("SCHEDULE_FOR_DISABLE")?.pauseUntil, undefined);
});

test("quality, limits, names and templates are shown", () => {
  const number = { display_phone_number: "15550783881" };
  assert.deepEqual(
    updatesOf("phone_number_quality_update", { ...number, event: "FLAGGED", current_limit: "TIER_1K" }),
    [
      {
        facts: { limit: "TIER_1K", quality: "low" },
        notice: "Meta reported on the number: FLAGGED.",
        at: time,
        aboutNumber: "+15550783881",
      },
    ],
  );
  assert.deepEqual(
    updatesOf("phone_number_name_update", {
      ...number,
      decision: "APPROVED",
      requested_verified_name: "Ada",
    })[0]?.facts,
    { name: "Ada" },
  );
  assert.deepEqual(
    updatesOf("business_capability_update", { max_daily_conversations_per_business: -1 })[0]?.facts,
    {
      limit: "UNLIMITED",
    },
  );
  const template = { message_template_name: "order", message_template_language: "en_US" };
  assert.deepEqual(
    [
      updatesOf("message_template_status_update", { ...template, event: "PAUSED" }),
      updatesOf("message_template_quality_update", { ...template, new_quality_score: "YELLOW" }),
      updatesOf("template_category_update", { ...template, new_category: "MARKETING" }),
      updatesOf("account_review_update", { decision: "REJECTED" }),
      updatesOf("security", { event: "PIN_CHANGED" }),
      updatesOf("account_alerts", { alert_info: { alert_type: "OBA", alert_description: "Soon" } }),
    ].map(([update]) => update?.notice),
    [
      "Template order (en_US): PAUSED.",
      "Template order (en_US): its quality is YELLOW.",
      "Template order (en_US): its category is MARKETING.",
      "Meta reviewed the account: REJECTED.",
      "Meta's word on the security of a number: PIN_CHANGED.",
      "Meta's alert OBA: Soon",
    ],
  );
});

test("what is about another account, or about none that the settings name, is skipped and counted", () => {
  const value = { event: "ACCOUNT_DELETED" };
  const other = read(accountCallOf("account_update", value, "1"));
  const unnamed = read(accountCallOf("account_update", value), { phone_number_id: phoneNumberId });
  const unknown = read(accountCallOf("flows", value));
  assert.deepEqual(
    [other, unnamed, unknown].map(({ accountUpdates, ignored }) => [accountUpdates, ignored]),
    [
      [undefined, ["other_account"]],
      [undefined, ["other_account"]],
      [undefined, ["unknown"]],
    ],
  );
});

test("failures that are the gateway's pause it for fifteen minutes of Meta's clock, and a thousand are one notice", () => {
  const failed = (code: number, seconds: number) => ({
    id: `wamid.${code}.${seconds}`,
    status: "failed",
    timestamp: String(seconds),
    errors: [{ code, title: "Spam rate limit hit" }],
  });
  const statuses = Array.from({ length: 1000 }, (_, i) => failed(131048, 1_750_263_000 + i));
  const received = read(callOf(change({ statuses: [...statuses, failed(131026, 1_750_270_000)] })));
  const at = 1_750_263_999_000;
  assert.deepEqual(received.accountUpdates, [
    { at, notice: "WhatsApp error 131048: Spam rate limit hit", pauseUntil: at + 900_000 },
  ]);
  assert.equal(received.receipts.length, 1001);
});
