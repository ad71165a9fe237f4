// How the URL of a webhook endpoint is shown, and the URLs that an earlier version stored as they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findEndpoint, findEndpointByUrl } from "#store/webhooks/endpoints.ts";
import { isShownForm, openUrl, shownUrl, urlHash } from "#webhooks/endpoint-url.ts";
import { engines, ground, harness } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { endpointOf, makeEndpoint } from "../store/endpoints.ts";

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

for (const engine of engines) {
  test(`the next start seals the urls of an earlier version, and they are posted to, on ${engine}`, async () => {
    const shared = await ground(engine);
    let it = await harness({ ground: shared });
    const { clock } = it;
    const account = await it.account();
    const url = "https://old.customer.test/in?k=the-old-secret";
    const { secret } = endpointOf(account.id);
    const id = await makeEndpoint(it.system.database, account.id, { url, url_hash: null, secret });
    await it.close();

    it = await harness({ ground: shared, clock });
    const { database, core } = it.system;
    const row = await database.run(findEndpoint, id);
    assert.ok(row !== null && !row.url.includes("old"), "sealed");
    assert.equal(openUrl(core.sealer, row), url);
    const hash = urlHash(core.sealer, "https://OLD.customer.test:443/in?k=the-old-secret");
    const found = await database.run(findEndpointByUrl, { accountId: account.id, urlHash: hash });
    assert.equal(found?.id, id);
    const path = `/accounts/${account.id}/webhooks`;
    const headers = bearer(await tokenFor(it));
    const listed = await manage(it, "GET", path, { headers });
    assert.equal(listed.json().data[0].url, "https://old.customer.test/in?••••");
    assert.equal((await manage(it, "POST", `${path}/${id}/rotate-secret`, { headers })).statusCode, 200);
    assert.equal((await manage(it, "POST", path, { headers, body: { url } })).statusCode, 422, "it is taken");
    await it.close();
    await shared.remove();
  });
}
