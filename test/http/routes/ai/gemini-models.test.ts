// GET /api/ai/v1beta/models and /models/{model}, as the official `@google/genai` asks and without it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ApiError, GoogleGenAI } from "@google/genai";
import { openaiPeer, type Peer } from "../../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../../pooled.ts";

const slashed = "meta-llama/llama-4:free";
let peer: Peer;
let it: Pooled;
/** As its users make it, and with the version that older ones ask at. */
let clients: GoogleGenAI[];
before(async () => {
  peer = await openaiPeer();
  it = await pooled({
    name: "models",
    members: [memberOf(peer, { models: ["gpt-4o-mini", slashed], embedding_models: ["embed"] })],
  });
  const baseUrl = it.baseUrl.replace(/\/v1$/, "");
  clients = [{}, { apiVersion: "v1" }, { apiVersion: "v1beta" }].map(
    (version) => new GoogleGenAI({ apiKey: it.key, httpOptions: { baseUrl, ...version } }),
  );
});
after(async () => {
  await it?.close();
  await peer?.close();
});

test("models are listed in pages, with what the pool does with them", async () => {
  const generates = ["generateContent", "countTokens"];
  for (const client of clients) {
    const names: unknown[] = [];
    for await (const { name, supportedActions } of await client.models.list({ config: { pageSize: 2 } }))
      names.push([name, supportedActions]);
    assert.deepEqual(names, [
      ["models/models", [...generates, "embedContent"]],
      ["models/gpt-4o-mini", generates],
      [`models/${slashed}`, generates],
      ["models/embed", ["embedContent"]],
    ]);
  }
});

test("a model is got by its name, and one that is not there is a 404 of Google's", async () => {
  for (const client of clients) {
    assert.equal((await client.models.get({ model: slashed })).displayName, slashed);
    await assert.rejects(client.models.get({ model: "absent" }), (error) => {
      assert.ok(error instanceof ApiError && /NOT_FOUND/.test(error.message), String(error));
      return error.status === 404;
    });
  }
});

for (const [query, count] of [
  ["", 4],
  ["?pageSize=0", 4],
  ["?pageSize=1000&pageToken=3", 1],
  ["?pageToken=9", 0],
] as const)
  test(`/models${query} lists ${count}, on the last page`, async () => {
    const answer = await fetch(`${it.baseUrl}beta/models${query}`, { headers: { "x-goog-api-key": it.key } });
    const { models, nextPageToken } = (await answer.json()) as { models: object[]; nextPageToken?: string };
    assert.deepEqual([models.length, nextPageToken], [count, undefined]);
  });

for (const query of ["pageSize=many", "pageToken=-1"])
  test(`/models?${query} is refused, in Google's shape`, async () => {
    const answer = await fetch(`${it.baseUrl}beta/models?key=${it.key}&${query}`);
    const { error } = (await answer.json()) as { error: { status: string; message: string } };
    assert.deepEqual([answer.status, error.status], [400, "INVALID_ARGUMENT"]);
    assert.ok(error.message.includes(query.split("=")[0]!));
  });
