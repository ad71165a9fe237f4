// What browsers say about who asks, and what others leave unsaid.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { rightAddress, sameSite } from "#http/auth/csrf.ts";

const asked = (headers: Record<string, string>, publicUrl: string | null = "https://sms.test") =>
  sameSite({ headers } as unknown as IncomingMessage, publicUrl, "Sms.internal:8080");

test("Sec-Fetch-Site decides, with any Origin", () => {
  const words: Record<string, string> = {
    "same-origin": "yes",
    none: "yes",
    "same-site": "no",
    "cross-site": "no",
    "": "no",
    "same-origin, same-origin": "no",
  };
  for (const [word, verdict] of Object.entries(words)) {
    for (const origin of ["https://sms.test", "https://elsewhere.test"])
      assert.equal(asked({ "sec-fetch-site": word, origin }), verdict, word);
  }
});

test("without it the origin has to be the public address's", () => {
  assert.equal(asked({ origin: "https://sms.test" }), "yes");
  assert.equal(asked({ origin: "https://sms.test" }, "https://sms.test/some/path"), "yes");
  for (const origin of [
    "http://sms.test",
    "https://sms.test:444",
    "https://sms.test.evil.test",
    "https://a.sms.test",
    "null",
    "",
    "sms.test",
    "https://sms.internal:8080",
  ])
    assert.equal(asked({ origin }), "no", origin);
});

test("without a public address it has to be the host that was asked for", () => {
  assert.equal(asked({ origin: "http://sms.internal:8080" }, null), "yes");
  assert.equal(asked({ origin: "https://sms.internal:8080" }, null), "yes", "TLS may end before us");
  assert.equal(asked({ origin: "http://sms.internal" }, null), "no");
});

test("neither header: nothing is said", () => assert.equal(asked({}), "unsaid"));

test("a page of ours at another address learns the right one; a page of another site does not", () => {
  const right = (origin: string | undefined, publicUrl: string | null, host = "10.0.0.7:8080") => {
    const headers = origin === undefined ? {} : { origin };
    return rightAddress({ headers } as unknown as IncomingMessage, publicUrl, host);
  };
  const publicUrl = "https://sms.test";
  assert.equal(right("http://10.0.0.7:8080", publicUrl), publicUrl);
  assert.equal(right("http://sms.test", publicUrl, "SMS.test"), publicUrl);
  assert.equal(right("https://sms.test", publicUrl, "sms.test"), null, "this is the right one");
  for (const origin of ["https://evil.test", "null", "", undefined])
    assert.equal(right(origin, publicUrl), null, String(origin));
  assert.equal(right("http://10.0.0.7:8080", null), null, "there is no right one");
});
