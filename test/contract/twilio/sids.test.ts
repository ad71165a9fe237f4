// SIDs are ids written differently.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { idOfSid, sidOf } from "#contract/twilio/sids.ts";

const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const idText = fc
  .tuple(
    fc.integer({ min: 0, max: 7 }),
    fc.array(fc.integer({ min: 0, max: 31 }), { minLength: 25, maxLength: 25 }),
  )
  .map(([first, rest]) => [first, ...rest].map((digit) => digits[digit]).join(""));

test("each id is one SID, and comes back from it", () => {
  fc.assert(
    fc.property(idText, (text) => {
      const sid = sidOf("SM", `msg_${text}`);
      assert.match(sid, /^SM[0-9a-f]{32}$/);
      assert.equal(idOfSid("SM", sid, "msg"), `msg_${text}`);
      assert.equal(idOfSid("MG", sid, "gw"), null);
    }),
  );
});

test("what is no SID names nothing, and what is no id has none", () => {
  const fits = "0".repeat(32);
  for (const sid of [
    "",
    "SM",
    `sm${fits}`,
    `SM${fits}0`,
    `SM${"0".repeat(31)}`,
    `SM${"G".repeat(32)}`,
    `SM${"A".repeat(32)}`,
  ])
    assert.equal(idOfSid("SM", sid, "msg"), null, sid);
  for (const id of ["", "msg_", `msg_${"8".repeat(26)}`, `msg_${"u".repeat(26)}`])
    assert.throws(() => sidOf("SM", id), /Not an id/, id);
});
