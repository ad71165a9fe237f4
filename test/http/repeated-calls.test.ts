// The official clients of OpenAI, Anthropic and Google, unmodified, over a pool with a cache, and with an `Idempotency-Key`.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { begins, delta, fails, finishes, openaiPeer, type Peer, replies, says } from "./openai-peer.ts";
import { memberOf, type Pooled, pooled } from "./pooled.ts";

let peer: Peer;
let it: Pooled;
let made = 0;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;
const model = "gpt-4o-mini";
const messages = [{ role: "user" as const, content: "Hello!" }];
const poolWith = async (more: object) => {
  const price = { input: 1, output: 2 };
  const members = [memberOf(peer, { embedding_models: ["embed"], price })];
  await it.pool({ name: `pool-${made++}`, members, ...more });
  const root = it.baseUrl.replace(/\/v1$/, "");
  openai = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: root, apiKey: it.key, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: it.key, httpOptions: { baseUrl: root, apiVersion: "v1beta" } });
};
before(async () => {
  peer = await openaiPeer();
  it = await pooled({ members: [memberOf(peer)] });
});
beforeEach(async () => {
  peer.answer(says("Hello from the provider."));
  peer.asked.length = 0;
  await poolWith({ cache: { ttl_s: 60 } });
});
after(async () => {
  await it?.close();
  await peer?.close();
});

const clients: [name: string, ask: () => Promise<unknown>][] = [
  ["chat completions", () => openai.chat.completions.create({ model, messages })],
  ["responses", () => openai.responses.create({ model, input: "Hello!" })],
  ["messages", () => anthropic.messages.create({ model, messages, max_tokens: 64 })],
  ["Gemini", async () => (await google.models.generateContent({ model, contents: "Hello!" })).text],
  [
    "a stream of chat completions",
    async () => {
      const chunks: unknown[] = [];
      const stream = await openai.chat.completions.create({ model, messages, stream: true });
      for await (const chunk of stream) chunks.push(chunk);
      return chunks;
    },
  ],
  [
    "a stream of responses",
    async () => (await openai.responses.stream({ model, input: "Hello!" }).finalResponse()).output,
  ],
  [
    "a stream of messages",
    () => anthropic.messages.stream({ model, messages, max_tokens: 64 }).finalMessage(),
  ],
  [
    "a stream of Gemini's",
    async () => {
      let text = "";
      const pieces = await google.models.generateContentStream({ model, contents: "Hello!" });
      for await (const piece of pieces) text += piece.text ?? "";
      return text;
    },
  ],
];

test("an equal request has the same answer, and the provider is asked once", async () => {
  for (const [name, ask] of clients) {
    peer.asked.length = 0;
    const first = await ask();
    assert.equal(peer.asked.length, 1, name);
    assert.match(JSON.stringify(first), /Hello|provider/, name);
    assert.deepEqual(await ask(), first, name);
    assert.equal(peer.asked.length, 1, name);
  }
});

test("vectors too", async () => {
  const data = [{ object: "embedding", index: 0, embedding: [0.25, 1] }];
  const usage = { prompt_tokens: 2, total_tokens: 2 };
  peer.answer(replies(200, { object: "list", model: "embed", data, usage }));
  const body = { model: "embed", input: "Hello!", encoding_format: "float" as const };
  const first = await openai.embeddings.create(body);
  assert.deepEqual(await openai.embeddings.create(body), first);
  assert.equal(peer.asked.length, 1);
});

test("the headers tell a hit from a miss; a hit costs nothing and asked no member", async () => {
  const asked = () => it.ask("/chat/completions", { body: { model, messages } });
  const [miss, hit] = [await asked(), await asked()];
  assert.equal(hit.text, miss.text);
  const headersOf = ({ headers }: typeof hit) =>
    ["cache", "cost", "attempts", "provider", "model"].map((name) => headers.get(`x-service-pool-${name}`));
  assert.deepEqual(headersOf(miss), ["miss", "0.000015", "1", "primary", model]);
  assert.deepEqual(headersOf(hit), ["hit", "0", "0", "primary", model]);
  assert.notEqual(hit.headers.get("x-request-id"), miss.headers.get("x-request-id"));
});

test("errors, another key and requests that want no cached answer ask the provider", async () => {
  const asked = async (headers: Record<string, string> = {}) => {
    const { status, headers: got } = await it.ask("/chat/completions", {
      body: { model, messages },
      headers,
    });
    return [status, got.get("x-service-pool-cache"), peer.asked.length];
  };
  peer.answer(fails(400));
  assert.deepEqual(await asked(), [400, "miss", 1]);
  peer.answer(says("Hello from the provider."));
  assert.deepEqual(await asked(), [200, "miss", 2]);
  assert.deepEqual(await asked({ "cache-control": "no-cache" }), [200, null, 3]);
  assert.deepEqual(await asked({ "cache-control": "no-store" }), [200, null, 4]);
  assert.deepEqual(await asked(), [200, "hit", 4]);
  await it.pool({ name: `pool-${made - 1}`, members: [memberOf(peer)], cache: { ttl_s: 60 } });
  assert.deepEqual(await asked(), [200, "miss", 5]);
});

test("fifty equal requests at one time are one call, whole and streamed", async () => {
  for (const stream of [false, true]) {
    const before = peer.asked.length;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => it.ask("/chat/completions", { body: { model, messages, stream } })),
    );
    assert.equal(peer.asked.length, before + 1);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const outcomes = answers.map(({ status, headers }) => `${status} ${headers.get("x-service-pool-cache")}`);
    assert.deepEqual(outcomes.sort(), [...Array.from({ length: 49 }, () => "200 hit"), "200 miss"]);
  }
});

test("an Idempotency-Key: the first answer again, for every API", async () => {
  await poolWith({});
  let turn = 0;
  for (const [name, ask] of clients) {
    peer.asked.length = 0;
    const headers = { "idempotency-key": `once-${turn++}` };
    openai = openai.withOptions({ defaultHeaders: headers });
    anthropic = anthropic.withOptions({ defaultHeaders: headers });
    google = new GoogleGenAI({
      apiKey: it.key,
      httpOptions: { baseUrl: it.baseUrl.replace(/\/v1$/, ""), apiVersion: "v1beta", headers },
    });
    const first = await ask();
    assert.deepEqual(await ask(), first, name);
    assert.equal(peer.asked.length, 1, name);
  }
});

test("a key stands for one body; errors have the shape of their API, and are not kept", async () => {
  await poolWith({});
  const headers = { "idempotency-key": "once" };
  const asked = (path: string, body: object) => it.ask(path, { body, headers });
  peer.answer(fails(500));
  assert.equal((await asked("/chat/completions", { model, messages })).status, 502);
  peer.answer(says("Hello from the provider."));
  const first = await asked("/chat/completions", { model, messages });
  assert.equal(first.headers.get("idempotent-replayed"), null);
  const again = await asked("/chat/completions", { messages, model });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal(again.text, first.text);
  const other = await asked("/chat/completions", { model, messages, seed: 1 });
  assert.equal(other.status, 422);
  assert.equal((other.json.error as unknown as { code: string }).code, "idempotency_mismatch");
  const message = { model, messages, max_tokens: 64 };
  assert.equal((await asked("/messages", message)).status, 200, "a key is of its path");
  const shaped = await asked("/messages", { ...message, max_tokens: 65 });
  assert.deepEqual([shaped.status, shaped.json.type], [422, "error"]);
  const long = { "idempotency-key": "x".repeat(256) };
  assert.equal((await it.ask("/messages", { body: message, headers: long })).status, 400);
});

test("a repeat of a call that is under way waits for it; when its client leaves, the repeat asks", async () => {
  await poolWith({});
  const headers = { "idempotency-key": "once" };
  const body = { model, messages, stream: true };
  const first = it.ask("/chat/completions", { body, headers });
  const hold = Promise.withResolvers<void>();
  peer.answer(async (request) => {
    const write = begins(request);
    write(delta(request.body.model, { content: "Hello." }));
    await hold.promise;
    finishes(request);
  });
  const second = it.ask("/chat/completions", { body, headers });
  hold.resolve();
  assert.equal((await second).text, (await first).text);
  assert.equal(peer.asked.length, 1);

  const leaving = new AbortController();
  const begun = Promise.withResolvers<void>();
  peer.answer((request) => {
    begins(request)(delta(request.body.model, { content: "Hel" }));
    begun.resolve();
  });
  const other = {
    "content-type": "application/json",
    authorization: `Bearer ${it.key}`,
    "idempotency-key": "two",
  };
  const init = { method: "POST", headers: other, body: JSON.stringify(body) };
  const left = fetch(`${it.baseUrl}/chat/completions`, { ...init, signal: leaving.signal }).then((response) =>
    response.text(),
  );
  await begun.promise;
  peer.answer(says("Hello from the provider."));
  const repeat = fetch(`${it.baseUrl}/chat/completions`, init).then((response) => response.text());
  leaving.abort();
  await assert.rejects(left);
  assert.match(await repeat, /provider.*\[DONE\]/s);
  assert.equal(peer.asked.length, 3);
});
