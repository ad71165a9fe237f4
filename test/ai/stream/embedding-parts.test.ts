// More texts than Gemini embeds in one request: several requests, one answer in the order of the texts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gemini } from "#providers/gemini/gemini.ts";
import { call, failureOf, run } from "../failover/chain-calls.ts";
import { json, script } from "../scripted-members.ts";

const settings = gemini.settings.parse({ api_key: "k", base_url: "https://first.test" });
const batch = (first: number, count: number) =>
  json({
    embeddings: Array.from({ length: count }, (_, at) => ({ values: [first + at, 0.5] })),
    usageMetadata: { promptTokenCount: count },
  });
const asked = (count: number, encoding?: string) => {
  const input = Array.from({ length: count }, (_, at) => `t${at}`);
  const body = { input, ...(encoding === undefined ? {} : { encoding_format: encoding }) };
  return { body, text: JSON.stringify(body) };
};

test("250 texts are three requests and one answer, in order, with the tokens of all", async () => {
  for (const encoding of [undefined, "base64"]) {
    const it = script();
    const member = it.member("first", [batch(0, 100), batch(100, 100), batch(200, 50)], {
      provider: gemini,
      settings,
    });
    const result = await run(it, call([member], "embeddings", asked(250, encoding)));
    assert.equal(result.kind, "answer");
    if (result.kind !== "answer") return;
    const sizes = it.asked.map(({ request }) => JSON.parse(String(request.body)).requests.length);
    assert.deepEqual(sizes, [100, 100, 50]);
    const { data, usage } = JSON.parse(result.text);
    assert.deepEqual(
      data.map(({ index }: { index: number }) => index),
      Array.from({ length: 250 }, (_, at) => at),
    );
    if (encoding === undefined) assert.deepEqual(data[249].embedding, [249, 0.5]);
    assert.deepEqual(usage, { prompt_tokens: 250, total_tokens: 250 });
    assert.equal(result.usage?.promptTokens, 250);
  }
});

test("a hundred are one request, and a part that fails fails all", async () => {
  const it = script();
  const one = it.member("first", [batch(0, 100)], { provider: gemini, settings });
  assert.equal((await run(it, call([one], "embeddings", asked(100)))).kind, "answer");
  assert.equal(it.asked.length, 1);
  const busy = json({ error: { code: 429, message: "x", status: "RESOURCE_EXHAUSTED" } }, 429);
  const again = script();
  const other = again.member("first", [batch(0, 100), busy], { provider: gemini, settings });
  assert.equal(failureOf(await run(again, call([other], "embeddings", asked(250)))).kind, "rate_limited");
});
