// Requests on their way: with a token where the member has a grant, once more after a 401, within their time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { send } from "#ai/sending/send.ts";
import type { VendorRequest } from "#providers/provider.ts";
import { privateKey } from "../../providers/vertex/key-file.ts";
import { json, type Reply, script } from "../scripted-members.ts";

const proof = { email: "a@b.test", privateKey, keyId: null, audience: "https://t.test" };
const tokenGrant = { url: "http://tokens.test/token", issuer: "Google", scope: "s", proof };
const request: VendorRequest = { method: "POST", url: "http://one.test/v1", headers: { a: "1" }, body: "{}" };
const granted = (token: string): Reply => json({ access_token: token, expires_in: 3600 });
const way = { connectMs: 5_000, headersMs: 60_000, signal: new AbortController().signal };

test("a request without a grant goes out at once, with more headers under its own", async () => {
  const it = script();
  it.member("one", [json({})]);
  const sent = await send(it.deps, request, { ...way, extraHeaders: { a: "2", b: "2" }, fresh: true });
  assert.equal(sent.kind, "answer");
  assert.deepEqual(it.names(), ["one"]);
  const { headers, fresh, connectMs } = it.asked[0]!.request;
  assert.deepEqual([headers, fresh, connectMs], [{ a: "1", b: "2" }, true, 5_000]);
});

test("one with a grant waits for its token, which takes of its time and serves the next ones", async () => {
  const it = script();
  it.member("tokens", [{ afterMs: 2_000, reply: granted("t1") }]);
  it.member("one", [json({})]);
  const first = send(it.deps, { ...request, tokenGrant }, way);
  await it.clock.advance(2_000);
  const sent = await first;
  assert.ok(sent.kind === "answer" && sent.token === "t1", "what a vendor may repeat is known");
  await send(it.deps, { ...request, tokenGrant }, way);
  assert.deepEqual(it.names(), ["tokens", "one", "one"]);
  const [, one, two] = it.asked;
  assert.deepEqual(one?.request.headers, { a: "1", authorization: "Bearer t1" });
  assert.deepEqual([one.request.headersMs, two?.request.headersMs], [58_000, 60_000]);
  assert.ok(!JSON.stringify(one.request).includes("PRIVATE KEY"));
});

test("a 401 with an old token is asked once more with a new one, and the second 401 is the answer", async () => {
  const it = script();
  it.member("tokens", [granted("t1"), granted("t2"), granted("t3")]);
  it.member("one", [json({}), json({}, 401), json({}), json({}, 401), json({}, 401)]);
  const status = async () => {
    const sent = await send(it.deps, { ...request, tokenGrant }, way);
    return sent.kind === "answer" ? sent.status : sent.kind;
  };
  assert.equal(await status(), 200);
  await it.clock.advance(60_000);
  assert.equal(await status(), 200);
  assert.deepEqual(it.names(), ["tokens", "one", "one", "tokens", "one"]);
  assert.equal(it.asked.at(-1)?.request.headers.authorization, "Bearer t2");
  // A new token is not asked for anew.
  assert.equal(await status(), 401);
  assert.equal(it.asked.length, 6);
  await it.clock.advance(60_000);
  assert.equal(await status(), 401);
  assert.deepEqual(it.names().slice(6), ["one", "tokens", "one"]);
});

test("without a token nothing is sent", async () => {
  const it = script();
  it.member("tokens", [json({ error: "invalid_grant" }, 400), { failed: "unreachable" }]);
  const denied = await send(it.deps, { ...request, tokenGrant }, way);
  assert.ok(denied.kind === "denied" && denied.failure.kind === "unauthorized");
  const failed = await send(it.deps, { ...request, tokenGrant }, way);
  assert.ok(failed.kind === "failed" && failed.why === "unreachable");
  assert.deepEqual(it.names(), ["tokens", "tokens"]);
});
