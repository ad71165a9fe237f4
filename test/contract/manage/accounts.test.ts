// What a grant of credit may say: a whole amount that is not nothing, for a channel that exists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesQuery, grantRequest } from "#contract/manage/accounts.ts";

test("a grant is a whole amount, to either side, but not nothing", () => {
  const fits = (grant: object) => grantRequest.safeParse({ channel: "sms", ...grant }).success;
  assert.deepEqual(
    [1, -1, 1_000_000_000].map((amount) => fits({ amount })),
    [true, true, true],
  );
  for (const amount of [0, -0, 0.5, 1_000_000_001, Number.NaN, "1", null, undefined])
    assert.equal(fits({ amount }), false, String(amount));
  assert.equal(fits({ amount: 1, channel: "fax" }), false);
  assert.equal(fits({ amount: 1, kind: "opening" }), false);
  assert.equal(grantRequest.parse({ channel: "sms", amount: 1, note: "  why " }).note, "why");
});

test("a ledger is one channel's, fifty entries at a time", () => {
  assert.deepEqual(entriesQuery.parse({ channel: "sms" }), { channel: "sms", limit: 50 });
  assert.deepEqual(entriesQuery.parse({ channel: "sms", limit: "7" }).limit, 7);
  for (const query of [{}, { channel: "sms", limit: "201" }, { channel: "sms", limit: "" }])
    assert.equal(entriesQuery.safeParse(query).success, false);
});
