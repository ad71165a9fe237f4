// The first operator: by a code from the machine, once; and no way to become one by what the body says.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Harness, harness } from "../../../../harness.ts";
import { browserOf, manage } from "../../../managing.ts";

let it: Harness;
before(async () => {
  it = await harness({ started: false });
});
after(() => it?.close());

const ann = { email: "Ann@acme.test", name: "Ann", password: "correct horse battery" };
let clients = 0;
const setUp = (body: object, from = `198.51.100.${++clients}`) =>
  manage(it, "POST", "/setup", { body, from });

test("without a code there is no operator, with all else right; every wrong one costs an attempt", async () => {
  const from = "203.0.113.1";
  for (let i = 0; i < 10; i++) {
    const reply = await setUp({ ...ann, code: `tls_guess${i}` }, from);
    assert.deepEqual([reply.statusCode, reply.json().code], [401, "unauthenticated"]);
  }
  const code = await it.system.createSetupCode();
  const refused = await setUp({ ...ann, code }, from);
  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [429, "6"]);
  assert.equal((await setUp({ ...ann, code: "" })).statusCode, 422);
  assert.equal((await setUp(ann)).statusCode, 422);
});

test("the code makes an operator, signs in, and is spent", async () => {
  const code = await it.system.createSetupCode();
  for (const [field, value] of [
    ["email", "no address"],
    ["name", " "],
    ["password", "short"],
    ["role", "member"],
  ]) {
    const reply = await setUp({ ...ann, code, [field!]: value });
    assert.deepEqual([reply.statusCode, Object.keys(reply.json().errors)], [422, [field]]);
  }
  const browser = browserOf(await setUp({ ...ann, code }));
  const who = await manage(it, "GET", "/session", { headers: { cookie: browser.cookie } });
  assert.deepEqual([who.json().data.name, who.json().data.role], ["ann@acme.test", "operator"]);
  assert.equal((await setUp({ ...ann, email: "bob@acme.test", code })).statusCode, 401);
  assert.equal(it.log.text().includes(code), false);
});

test("another user's address is not taken over by a code that is not for it", async () => {
  const code = await it.system.createSetupCode();
  const refused = await setUp({ ...ann, code, password: "another long password" });
  assert.deepEqual([refused.statusCode, refused.json().errors], [422, { email: ["is taken"] }]);
  const mine = await it.system.createSetupCode("ann@acme.test");
  assert.equal((await setUp({ ...ann, code: mine, email: "bob@acme.test" })).statusCode, 401);
  browserOf(await setUp({ ...ann, code: mine, password: "another long password" }));
});

test("another site's page cannot spend a code", async () => {
  const code = await it.system.createSetupCode();
  const headers = { "sec-fetch-site": "cross-site" };
  assert.equal((await manage(it, "POST", "/setup", { body: { ...ann, code }, headers })).statusCode, 403);
});
