// What a provider's answer to a check says of the settings, and that no key is in it.

import assert from "node:assert/strict";
import test from "node:test";
import { checkSettings } from "#ai/health/check-settings.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { sandbox } from "#providers/sandbox/sandbox.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import { credentials } from "../../providers/vertex/key-file.ts";
import { json, type Reply, refusal, script, streamed } from "../scripted-members.ts";

const settings = openaiCompatible.settings.parse({ base_url: "http://one.test/v1", api_key: "sk-mine" });
const signal = new AbortController().signal;

async function checked(reply: Reply) {
  const it = script();
  it.member("one", [reply]);
  const { clock, upstreams } = it.deps;
  const data = await checkSettings({ clock, upstreams }, openaiCompatible, settings, signal);
  return { data, it };
}

test("a list of models is well; it is asked for with the key and patience for a person", async () => {
  const { data, it } = await checked(json({ data: [{ id: "gpt-6" }, { id: "gpt-6-mini" }] }));
  assert.deepEqual(data, { ok: true, ms: 0, models: ["gpt-6", "gpt-6-mini"], reason: null });
  const { request } = it.asked[0]!;
  assert.deepEqual([request.method, request.url, request.body], ["GET", "http://one.test/v1/models", null]);
  assert.match(JSON.stringify(request.headers), /Bearer sk-mine/);
});

test("what is not well has a reason, in the provider's words where it has some", async () => {
  const cases: [Reply, RegExp][] = [
    [refusal(401, "invalid_api_key"), /^The provider answered 401: no: invalid_api_key$/],
    [refusal(503, "overloaded"), /^The provider answered 503: no: overloaded$/],
    [refusal(404, "not_found"), /answered 404 .*address may be wrong/],
    [json({ hello: "world" }), /something else than a list/],
    [{ failed: "unreachable" }, /./],
    [streamed('{"data":[', "cut"), /not complete/],
    [streamed("x".repeat(9 * 1024 * 1024)), /too long/],
  ];
  for (const [reply, expected] of cases) {
    const { data } = await checked(reply);
    assert.deepEqual([data.ok, data.models], [false, null]);
    assert.match(data.reason ?? "", expected);
  }
});

test("a sandbox has nothing to ask; other vendors are asked for as many models as fit on a page", async () => {
  const { clock, upstreams } = script().deps;
  const well = { ok: true, ms: 0, models: null, reason: null };
  assert.deepEqual(await checkSettings({ clock, upstreams }, sandbox, {}, signal), well);
  const claude = anthropic.settings.parse({ api_key: "k" });
  assert.match(anthropic.check(claude, "all")?.url ?? "", /limit=1000$/);
  assert.match(anthropic.check(claude)?.url ?? "", /limit=1$/);
});

test("each of several keys is asked, and the one that fails is named", async () => {
  const several = openaiCompatible.settings.parse({
    base_url: "http://one.test/v1",
    api_keys: ["sk-a", "sk-b"],
  });
  const ask = async (replies: readonly Reply[]) => {
    const it = script();
    it.member("one", replies);
    const { clock, upstreams } = it.deps;
    return { data: await checkSettings({ clock, upstreams }, openaiCompatible, several, signal), it };
  };
  const models = json({ data: [{ id: "gpt-6" }] });
  const { data, it } = await ask([models]);
  assert.deepEqual([data.ok, data.models], [true, ["gpt-6"]]);
  assert.deepEqual(
    it.asked.map(({ request }) => request.headers.authorization),
    ["Bearer sk-a", "Bearer sk-b"],
  );
  const { reason } = (await ask([models, refusal(401, "invalid_api_key")])).data;
  assert.match(reason ?? "", /^Key 2 of 2: The provider answered 401/);
});

test("credentials that get no access token are not well, in the words of the token endpoint", async () => {
  const behindTokens = vertex.settings.parse({
    credentials,
    base_url: "http://one.test",
    token_url: "http://tokens.test/token",
  });
  const list = json({ publisherModels: [{ name: "publishers/google/models/gemini-3-pro" }] });
  const ask = async (reply: Reply, its = list) => {
    const it = script();
    it.member("tokens", [reply]);
    it.member("one", [its]);
    const { clock, upstreams } = it.deps;
    return checkSettings({ clock, upstreams }, vertex, behindTokens, signal);
  };
  const well = await ask(json({ access_token: "t1", expires_in: 3600 }));
  assert.deepEqual([well.ok, well.models], [true, ["gemini-3-pro"]]);
  const refused = await ask(json({ error: "invalid_grant", error_description: "account not found" }, 400));
  assert.equal(refused.ok, false);
  assert.match(
    refused.reason ?? "",
    /^Google granted no access token: it answered 400: invalid_grant: account/,
  );
  assert.equal((await ask({ failed: "unreachable" })).reason, "No answer from tokens.");
  const echo = json({ error: { code: 403, message: "Not for odd-token!" } }, 403);
  const closed = await ask(json({ access_token: "odd-token" }), echo);
  assert.equal(closed.reason, "The provider answered 403: Not for ***!");
});
