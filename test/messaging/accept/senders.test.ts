// Who a message is from, by the number that the network writes.

import assert from "node:assert/strict";
import test from "node:test";
import { senderOf } from "#messaging/accept/phone.ts";

test("a sender is never made up, and may be each number that its text can mean", () => {
  const cases: [raw: string, country: string | null, sender: string, readings: string[]][] = [
    ["+4915123456780", "US", "+4915123456780", []],
    ["004915123456780", "US", "+4915123456780", []],
    ["4915123456780", null, "+4915123456780", ["+4915123456780"]],
    ["4915123456780", "DE", "+4915123456780", ["+4915123456780", "+494915123456780"]],
    ["4915123456780", "US", "+4915123456780", ["+4915123456780", "+14915123456780"]],
    ["33612345678", "DE", "+33612345678", ["+33612345678", "+4933612345678"]],
    ["15123456780", "DE", "+4915123456780", ["+4915123456780", "+15123456780"]],
    ["015123456780", "DE", "+4915123456780", ["+4915123456780"]],
    ["015123456780", null, "015123456780", []],
    ["2025550123", "US", "+12025550123", ["+12025550123", "+2025550123"]],
    // Two likely numbers, or no valid one: it stays as it came.
    ["6785912345", "US", "6785912345", ["+6785912345", "+16785912345"]],
    ["15550000001", "US", "15550000001", ["+15550000001"]],
    ["5550123", "US", "5550123", ["+5550123", "+15550123"]],
    ["12345", "DE", "12345", []],
    ["Bank", "DE", "Bank", []],
    ["", "DE", "", []],
  ];
  for (const [raw, country, sender, readings] of cases)
    assert.deepEqual(senderOf(raw, country), { sender, readings }, `${raw} ${country}`);
});
