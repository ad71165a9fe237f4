// Postmark's codes: whose fault each of them is, and that statuses are not mistaken for codes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isMaintenance, postmarkCode, postmarkFault } from "#gateways/email/postmark/errors.ts";

test("codes have a fault", () => {
  const wanted: Record<string, string[]> = {
    permanent: ["300", "402", "403", "406", "411"],
    configuration: ["10", "100", "400", "401", "405", "409", "412", "413", "1226", "1235", "1236"],
    transient: ["429"],
  };
  for (const [fault, codes] of Object.entries(wanted)) {
    for (const code of codes) assert.equal(postmarkFault(code, ""), fault, code);
  }
  for (const code of ["0", "11", "500", "9999", "constructor"]) {
    assert.equal(postmarkFault(code, ""), undefined, code);
  }
});

test("an invalid email request is the gateway's fault when it is about the sender", () => {
  assert.equal(postmarkFault("300", "Invalid 'From' address: 'x'."), "configuration");
  assert.equal(postmarkFault("300", "Error parsing 'From': Illegal email domain"), "configuration");
  assert.equal(postmarkFault("300", "Invalid 'To' address: 'From'."), "permanent");
  assert.equal(postmarkFault("406", "Invalid 'From'"), "permanent");
});

test("the code is the body's, and 0 is none", () => {
  assert.equal(postmarkCode({ ErrorCode: "406", Message: "x" }), "406");
  for (const json of [
    null,
    {},
    { ErrorCode: "0" },
    { ErrorCode: "x" },
    { ErrorCode: null },
    { errorcode: "1" },
  ]) {
    assert.equal(postmarkCode(json), null);
  }
});

test("only a 503 of Postmark's own says that the API is offline", () => {
  assert.equal(isMaintenance(503, { ErrorCode: "100" }), true);
  assert.equal(isMaintenance(500, { ErrorCode: "100" }), false);
  assert.equal(isMaintenance(503, { ErrorCode: "10" }), false);
  assert.equal(isMaintenance(503, null), false);
});
