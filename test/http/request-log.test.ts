// The line of each request: who asked for which route and what became of it, and nothing of what was in it.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";
import { bearer, tokenFor } from "./managing.ts";

let it: Harness;
let account: Awaited<ReturnType<Harness["account"]>>;
before(async () => {
  it = await harness({ settings: { logRequests: true } });
  account = await it.account();
  await it.gateway({ identifier: "box", kind: "sandbox", default: true });
});
after(async () => await it?.close());

const lines = () => it.log.lines().filter(({ event }) => event === "http.request");

/** The line of one request. */
async function lineOf(
  method: "GET" | "POST",
  url: string,
  headers: Record<string, string>,
  payload?: object,
) {
  const before = lines().length;
  const reply = await inject(it.system.app, {
    method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  const [line, ...more] = lines().slice(before);
  assert.equal(more.length, 0);
  assert.equal(line?.status, reply.statusCode);
  assert.equal(line?.requestId, reply.headers["x-request-id"]);
  return line;
}

test("an accepted send names its route and account", async () => {
  const headers = { "api-key": account.key, "content-type": "application/json" };
  const contact = [{ number: "+4915112345678", message: "a text that is secret" }];
  const line = await lineOf("POST", "/api/sms/send", headers, { contact });
  assert.deepEqual(
    [line?.level, line?.method, line?.route, line?.status, line?.account],
    ["info", "POST", "/api/sms/send", 200, account.id],
  );
  assert.equal(typeof line?.ms, "number");
});

test("a refusal has no account, an id in a path is not in the line, and an unknown path has no route", async () => {
  const refused = await lineOf("GET", "/api/get/sms/msg_secret?apiKey=tl_wrong", {});
  assert.deepEqual(
    [refused?.route, refused?.status, refused?.account],
    ["/api/get/{channel}/{id}", 403, null],
  );
  const unknown = await lineOf("GET", "/api/nothing/+4915112345678", {});
  assert.deepEqual([unknown?.route, unknown?.status], [null, 404]);
  const text = it.log.text();
  for (const secret of ["msg_secret", "tl_wrong", "+4915112345678", "a text that is secret", account.key])
    assert.ok(!text.includes(secret), secret);
});

test("a request of the management API names its token, and not its text", async () => {
  const token = await tokenFor(it);
  const line = await lineOf("GET", `/api/manage/v1/accounts/${account.id}`, bearer(token));
  assert.deepEqual([line?.status, line?.account], [200, account.id]);
  assert.match(String(line?.keyId), /^tok_/);
  assert.ok(!it.log.text().includes(token));
  assert.equal((await lineOf("GET", "/api/manage/v1/session", bearer("tlm_wrong")))?.keyId, null);
});

test("health checks have a line at debug alone", async () => {
  assert.equal((await lineOf("GET", "/health/live", {}))?.level, "debug");
  assert.equal((await lineOf("GET", "/health/ready", {}))?.level, "debug");
});

test("of requests that were answered 2xx one in the set number has a line, of others each", async (t) => {
  const sampled = await harness({ settings: { logRequests: true, logSuccessEvery: 3 } });
  t.after(() => sampled.close());
  const { key } = await sampled.account();
  const base = await sampled.system.app.listen({ host: "127.0.0.1", port: 0 });
  const statuses = async (count: number, url: string) => {
    const before = sampled.log.lines().length;
    // By a socket, since an injected response never counts as read to its end. The line is there before its last byte arrives.
    for (let i = 0; i < count; i++) await (await fetch(`${base}${url}`)).text();
    const added = sampled.log.lines().slice(before);
    return added
      .filter(({ event, level }) => event === "http.request" && level === "info")
      .map(({ status }) => status);
  };
  assert.deepEqual(await statuses(7, `/api/account?api_key=${key}`), [200, 200, 200]);
  assert.deepEqual(await statuses(2, "/api/account?api_key=wrong"), [403, 403]);
  // Health checks do not count.
  assert.deepEqual(await statuses(2, "/health/live"), []);
  assert.deepEqual(await statuses(3, `/api/account?api_key=${key}`), [200]);
});
