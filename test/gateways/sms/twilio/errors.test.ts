// The tables of Twilio's error codes: no code with two meanings, and words for the codes that matter.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deliveryError, faultOf } from "#gateways/sms/twilio/errors.ts";

test("each listed code has one meaning", () => {
  const source = readFileSync(
    new URL("../../../../src/gateways/sms/twilio/errors.ts", import.meta.url),
    "utf8",
  );
  const listed = [...source.matchAll(/^ {2}(\d{5}), \/\//gm)].map(([, code]) => Number(code));
  assert.ok(listed.length > 50, `only ${listed.length} found`);
  assert.equal(new Set(listed).size, listed.length);
  for (const code of listed) assert.notEqual(faultOf(code), undefined, String(code));
});

test("whose fault it is decides what happens to the message", () => {
  assert.equal(faultOf(21211), "permanent");
  assert.equal(faultOf(21610), "opted_out");
  assert.equal(faultOf(21606), "configuration");
  assert.equal(faultOf(20003), "configuration");
  assert.equal(faultOf(63038), "configuration");
  assert.equal(faultOf(20429), "transient");
  assert.equal(faultOf(99999), undefined);
});

test("delivery errors in plain words, and a number for the others", () => {
  assert.match(deliveryError("30005"), /unknown|service/);
  assert.equal(deliveryError("39999"), "Twilio reports error 39999.");
});
