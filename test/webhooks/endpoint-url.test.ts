// How the URL of a webhook endpoint is shown, and found in any of its spellings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createSealer } from "#store/seal.ts";
import { isShownForm, openUrl, sealUrl, shownUrl, urlHash } from "#webhooks/endpoint-url.ts";
import { seededRandom } from "../harness.ts";

test("shown are the origin and the path; what follows them is masked", () => {
  for (const [url, shown] of [
    ["https://a.test/", "https://a.test/"],
    ["https://a.test:8443/in/hook", "https://a.test:8443/in/hook"],
    ["https://a.test/in?k=secret", "https://a.test/in?••••"],
    ["https://a.test/in?secret", "https://a.test/in?••••"],
    ["https://a.test/in#secret", "https://a.test/in?••••"],
    ["https://user:secret@a.test/in", "https://a.test/in"],
    ["no url with a secret", "••••"],
    [null, "••••"],
  ] as const) {
    assert.equal(shownUrl(url), shown);
    assert.equal(isShownForm(shown, url), shown.includes("•"), shown);
  }
  assert.equal(
    isShownForm("https://a.test/in?••••", "https://a.test/in"),
    false,
    "there is no query to keep",
  );
});

test("a URL is sealed for its endpoint alone, and found in any of its spellings", () => {
  const sealer = createSealer("a master key that is only used in tests", seededRandom(1));
  const url = "https://customer.test/in?k=a-secret";
  const { sealed, hash } = sealUrl(sealer, "whe_1", url);
  assert.ok(!sealed.includes("customer"));
  assert.equal(openUrl(sealer, { id: "whe_1", url: sealed }), url);
  assert.equal(openUrl(sealer, { id: "whe_2", url: sealed }), null);
  assert.equal(urlHash(sealer, "https://CUSTOMER.test:443/in?k=a-secret"), hash);
});
