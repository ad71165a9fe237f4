// Vendors that document the Responses API: requests go there as they came, and what is refused there is asked as a chat
// completion of the same member.

import assert from "node:assert/strict";
import test from "node:test";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { upstreamResponse } from "../../../http/responses-peer.ts";
import { answered, json, type Reply, refusal, type Script, script } from "../../scripted-members.ts";
import { call, failureOf, run } from "../chain-calls.ts";

const body = { model: "m", input: "hello" };
const text = JSON.stringify(body);
const asked = () => ({ text, body, api: createResponsesRequest({ text, body, headers: {} }, "stem", 1) });
const settings = (more: object) =>
  openaiCompatible.settings.parse({ vendor: "vllm", base_url: "http://first.test/v1", ...more });
const member = (it: Script, replies: readonly Reply[], more: object = {}) =>
  it.member("first", replies, { settings: settings(more) });
const paths = (it: Script) => it.asked.map(({ request }) => new URL(request.url).pathname.slice(3));
const noPath = json({ detail: "Not Found" }, 404);

test("it is asked as the request came", async () => {
  const it = script();
  const result = await run(it, call([member(it, [json(upstreamResponse("m"))])], "chat", asked()));
  assert.equal(result.kind === "answer" && result.won.forwarded, true);
  assert.deepEqual(paths(it), ["/responses"]);
});

test("a server without that path answers as a chat completion, and from then on at once", async () => {
  const it = script();
  const first = member(it, [noPath, answered()]);
  for (let turn = 0; turn < 2; turn++) {
    const result = await run(it, call([first], "chat", asked()));
    assert.equal(result.kind === "answer" && result.won.forwarded, false);
    assert.equal(result.kind === "answer" && result.won.memberCount, 1);
  }
  assert.deepEqual(paths(it), ["/responses", "/chat/completions", "/chat/completions"]);
  assert.deepEqual(
    [it.down, first.health.isModelMissing(first.models[0]!, it.clock.monotonic())],
    [[], false],
  );
});

test("what it does not take in that format is translated for this call alone", async () => {
  const it = script();
  const first = member(it, [refusal(400, "invalid_value"), answered(), json(upstreamResponse("m"))]);
  await run(it, call([first], "chat", asked()));
  const again = await run(it, call([first], "chat", asked()));
  assert.equal(again.kind === "answer" && again.won.forwarded, true);
  assert.deepEqual(paths(it), ["/responses", "/chat/completions", "/responses"]);
});

test("a model that it does not have is missing, and the API is not", async () => {
  const it = script();
  const first = member(it, [noPath, refusal(404, "model_not_found")]);
  assert.equal(failureOf(await run(it, call([first], "chat", asked()))).kind, "model_not_found");
  const now = it.clock.monotonic();
  assert.equal(first.health.isModelMissing(first.models[0]!, now), true);
  assert.equal(first.health.missingApis.has(first.models[0]!, "responses", now), false);
});

test("a limit, an outage and a refused key are no reason to translate; nor is any refusal where the setting says so", async () => {
  for (const reply of [
    refusal(429, "rate_limit_exceeded"),
    refusal(503, "x"),
    refusal(401, "invalid_api_key"),
  ]) {
    const it = script();
    await run(it, call([member(it, [reply])], "chat", { ...asked(), pool: { repeat: 0 } }));
    assert.deepEqual([...new Set(paths(it))], ["/responses"]);
  }
  const it = script();
  const sure = member(it, [refusal(400, "invalid_value")], { responses: true });
  assert.equal(failureOf(await run(it, call([sure], "chat", asked()))).status, 400);
  assert.deepEqual(paths(it), ["/responses"]);
});
