// The provisioning file is the command line's: it contains tokens, so a session or token could get other rights by it.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Harness, harness } from "../../../../harness.ts";
import { bearer, manage, tokenFor } from "../../../managing.ts";

let it: Harness;
before(async () => {
  it = await harness({ started: false });
});
after(() => it?.close());

test("an operator's token neither sets nor gets it", async () => {
  const headers = bearer(await tokenFor(it, null));
  for (const [method, body] of [
    ["POST", { file: {} }],
    ["GET", undefined],
  ] as const) {
    const asked = body === undefined ? { headers } : { headers, body };
    const refused = await manage(it, method, "/installation/provisioning", asked);
    assert.equal(refused.statusCode, 403);
    assert.match(refused.json().message, /^Only the command line on the machine/);
  }
});
