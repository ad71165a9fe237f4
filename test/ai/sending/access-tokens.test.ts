// Tokens on a clock that is moved by hand: kept, renewed before their end, asked for once at a time, and what failures do.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { AccessTokens } from "#ai/sending/access-tokens.ts";
import type { TokenGrant } from "#providers/token-grant.ts";
import { privateKey } from "../../providers/vertex/key-file.ts";
import { json, type Reply, type Script, script } from "../scripted-members.ts";

const proof = { email: "a@b.test", privateKey, keyId: null, audience: "https://t.test" };
const grant: TokenGrant = { url: "http://tokens.test/token", issuer: "Google", scope: "s", proof };
const granted = (token: string, expires_in = 3600): Reply => json({ access_token: token, expires_in });
const broken: Reply = json({ error: "server_error" }, 500);

let it: Script;
let tokens: AccessTokens;
const waitMs = 30_000;
const signal = new AbortController().signal;
beforeEach(() => {
  it = script();
  tokens = new AccessTokens(it.deps);
});

/** The token, or what came in its place. */
async function got(own: TokenGrant = grant): Promise<string> {
  const result = await tokens.get(own, waitMs, signal);
  if (result.kind === "token") return result.token;
  return result.kind === "failed" ? result.why : result.failure.kind;
}

test("a token is kept until five minutes before its end, and no call waits for the renewal", async () => {
  it.member("tokens", [granted("t1"), { afterMs: 2_000, reply: granted("t2") }]);
  assert.equal(await got(), "t1");
  await it.clock.advance(3_300_000 - 1);
  assert.equal(await got(), "t1");
  assert.equal(it.asked.length, 1);
  await it.clock.advance(1);
  assert.deepEqual([await got(), await got()], ["t1", "t1"]);
  assert.equal(it.asked.length, 2);
  await it.clock.advance(2_000);
  assert.equal(await got(), "t2");
  assert.equal(it.asked.length, 2);
});

test("a token that lives shortly is renewed at half of its life", async () => {
  it.member("tokens", [granted("t1", 60), granted("t2", 60)]);
  assert.equal(await got(), "t1");
  await it.clock.advance(29_999);
  assert.equal(await got(), "t1");
  await it.clock.advance(1);
  assert.equal(await got(), "t2");
});

test("after a night without calls the call waits for a new one", async () => {
  it.member("tokens", [granted("t1"), granted("t2")]);
  assert.equal(await got(), "t1");
  await it.clock.advance(3_600_000);
  assert.equal(await got(), "t2");
});

test("calls at one time share one request; other grants have their own tokens", async () => {
  it.member("tokens", [{ afterMs: 1_000, reply: granted("t1") }, granted("t2")]);
  const both = Promise.all([got(), got(), got()]);
  await it.clock.advance(1_000);
  assert.deepEqual(await both, ["t1", "t1", "t1"]);
  assert.equal(it.asked.length, 1);
  assert.equal(await got({ ...grant, scope: "other" }), "t2");
  assert.equal(await got(), "t1");
});

test("a failure is the call's, and the next call asks again", async () => {
  it.member("tokens", [
    { failed: "unreachable" },
    { failed: "cut", reused: true },
    { status: 200, body: ["{", "cut"] },
    json({ error: "invalid_grant" }, 400),
    broken,
    json({ access_token: "" }),
    { status: 200, body: ["x".repeat(65_537)] },
    granted("t1"),
  ]);
  const outcomes: string[] = [];
  for (let turn = 0; turn < 8; turn++) outcomes.push(await got());
  assert.deepEqual(outcomes, [
    "unreachable",
    "cut",
    "cut",
    "unauthorized",
    "upstream_error",
    "upstream_error",
    "upstream_error",
    "t1",
  ]);
});

test("while a token serves, a renewal that fails costs no call anything, and is tried once a minute", async () => {
  it.member("tokens", [granted("t1"), broken, broken, broken, broken, broken, granted("t2")]);
  await got();
  await it.clock.advance(3_300_000);
  for (let second = 0; second < 269; second++) {
    assert.equal(await got(), "t1");
    await it.clock.advance(1_000);
  }
  assert.equal(it.asked.length, 6);
  await it.clock.advance(1_000);
  assert.equal(await got(), "t2");
});

test("a token endpoint that is silent takes ten seconds, and a call no longer than it may", async () => {
  it.member("tokens", ["silent"]);
  const patient = got();
  const hasty = tokens.get(grant, 3_000, signal);
  const leaving = new AbortController();
  const gone = tokens.get(grant, waitMs, leaving.signal);
  await it.clock.advance(1_000);
  leaving.abort();
  assert.equal((await gone).kind, "failed");
  await it.clock.advance(2_000);
  const late = await hasty;
  assert.ok(late.kind === "failed" && late.why === "headers_timeout");
  await it.clock.advance(7_000);
  assert.equal(await patient, "headers_timeout");
  assert.equal(it.asked.length, 1);
  assert.equal(it.clock.sleeping(), 0);
});

test("a refused token goes, unless it came a minute ago; one that was replaced is no reason to ask", async () => {
  it.member("tokens", [granted("t1"), granted("t2")]);
  await got();
  await it.clock.advance(59_999);
  assert.equal(tokens.refused(grant, "t1"), false);
  assert.equal(await got(), "t1");
  await it.clock.advance(1);
  assert.equal(tokens.refused(grant, "t1"), true);
  assert.equal(await got(), "t2");
  assert.equal(tokens.refused(grant, "t1"), true);
  assert.equal(await got(), "t2");
  assert.equal(it.asked.length, 2);
});
