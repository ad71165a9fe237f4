// Pictures, speech, transcripts, moderation and reranking through a pool, by OpenAI's own client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { toFile } from "openai";
import { readPools } from "#store/pools/pools.ts";
import { callsOf } from "../../../ai/pooled.ts";
import { fails, openaiPeer, type Peer, type PeerAnswer, replies } from "../../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../../pooled.ts";

const lists = {
  image_models: ["gpt-image-1"],
  speech_models: ["tts-1"],
  transcription_models: ["whisper-1"],
  moderation_models: ["omni-moderation-latest"],
  rerank_models: ["rerank-1"],
};

let down: Peer;
let peer: Peer;
let it: Pooled;
let client: OpenAI;
before(async () => {
  down = await openaiPeer(fails(503));
  peer = await openaiPeer();
  it = await pooled({
    repeat: 0,
    members: [
      memberOf(down, { name: "down", ...lists }),
      memberOf(peer, { name: "well", ...lists, priority: 2 }),
    ],
  });
  client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
});
after(async () => {
  await it?.close();
  await peer?.close();
  await down?.close();
});

const sends =
  (type: string, bytes: Buffer): PeerAnswer =>
  ({ response }) =>
    response.writeHead(200, { "content-type": type }).end(bytes);

test("a picture, from the second member when the first fails; the request goes on unchanged", async () => {
  const data = [{ b64_json: Buffer.alloc(3_000_000, 7).toString("base64") }];
  peer.answer(
    replies(200, {
      created: 1_767_225_600,
      data,
      usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14 },
    }),
  );
  const made = await client.images.generate({ model: "gpt-image-1", prompt: "A fox", size: "1024x1024" });
  assert.deepEqual(made.data, data);
  const { service_pool: served } = made as unknown as {
    service_pool: { provider: string; attempts: number };
  };
  assert.deepEqual([served.provider, served.attempts], ["well", 2]);
  assert.equal(down.asked.at(-1)?.path, "/v1/images/generations");
  assert.deepEqual(peer.asked.at(-1)?.body, { model: "gpt-image-1", prompt: "A fox", size: "1024x1024" });
  // The answer has no `model`, and gets none.
  assert.equal("model" in made, false);
});

test("speech: the bytes and their type, the member in the headers", async () => {
  const sound = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7) & 255));
  peer.answer(sends("audio/mpeg", sound));
  const response = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Hello" });
  assert.equal(response.headers.get("content-type"), "audio/mpeg");
  assert.equal(response.headers.get("x-service-pool-provider"), "well");
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), sound);
});

test("speech that breaks off is spoken by another member", async () => {
  down.answer(({ response }) => {
    response.writeHead(200, { "content-type": "audio/mpeg", "content-length": "1000" });
    response.write("half");
    setImmediate(() => response.destroy());
  });
  peer.answer(sends("audio/mpeg", Buffer.from("whole")));
  const response = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Hello" });
  assert.equal(await response.text(), "whole");
  down.answer(fails(503));
});

test("a transcript: each member gets the whole form with its own model", async () => {
  const sound = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => (at * 13) & 255));
  const forms: FormData[] = [];
  peer.answer(async ({ bytes, headers, response }) => {
    const type = String(headers["content-type"]);
    forms.push(await new Response(Uint8Array.from(bytes), { headers: { "content-type": type } }).formData());
    response.writeHead(200, { "content-type": "application/json" }).end('{"text":"Hello Ada"}');
  });
  const file = await toFile(sound, "call.mp3");
  const { text } = await client.audio.transcriptions.create({ model: "assistants", file, language: "en" });
  assert.equal(text, "Hello Ada");
  const [form] = forms;
  assert.equal(form?.get("model"), "whisper-1");
  assert.equal(form?.get("language"), "en");
  const sent = form?.get("file");
  assert.ok(sent instanceof File);
  assert.equal(sent.name, "call.mp3");
  assert.deepEqual(Buffer.from(await sent.arrayBuffer()), sound);
});

test("subtitles are passed on as text", async () => {
  peer.answer(sends("text/plain; charset=utf-8", Buffer.from("1\n00:00 --> 00:01\nHi\n")));
  const file = await toFile(Buffer.from("ID3"), "a.mp3");
  const text = await client.audio.transcriptions.create({
    model: "whisper-1",
    file,
    response_format: "srt",
  } as never);
  assert.match(String(text), /-->/);
});

test("moderation names the pool's model, and its words are not estimated as an answer", async () => {
  peer.answer(replies(200, { id: "m", model: "omni-moderation-latest", results: [{ flagged: false }] }));
  const made = await client.moderations.create({ input: "Hello" });
  assert.equal(made.model, "assistants");
  assert.equal(made.results[0]?.flagged, false);
});

test("reranking, as Cohere's and Jina's clients send it", async () => {
  peer.answer(replies(200, { results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 21 } }));
  const body = { query: "hours", documents: ["We sell tea.", "We open at nine."], top_n: 1 };
  const { status, json } = await it.ask("/rerank", { body });
  assert.equal(status, 200);
  assert.deepEqual(json.results, [{ index: 1, relevance_score: 0.9 }]);
  assert.deepEqual(peer.asked.at(-1)?.body, { ...body, model: "rerank-1" });
});

test("the models are listed, and calls are recorded with their operation and tokens", async () => {
  const { data } = await client.models.list();
  for (const model of Object.values(lists).flat()) assert.ok(data.some(({ id }) => id === model));
  await it.it.advance(2_000);
  const { it: whole, accountId } = it;
  const [found] = await whole.system.database.run(readPools, { accountId, id: null });
  const calls = await callsOf(whole, { accountId, poolId: found!.pool.id });
  const last = (kind: string) => calls.find((call) => call.kind === kind && call.status === 200);
  const image = last("image");
  assert.deepEqual([image?.prompt_tokens, image?.completion_tokens, image?.estimated], [5, 9, 0]);
  const moderation = last("moderation");
  assert.deepEqual([moderation?.completion_tokens, moderation?.estimated], [0, 1]);
  assert.equal(last("rerank")?.prompt_tokens, 21);
  for (const kind of ["speech", "transcription"]) assert.equal(last(kind)?.member, "well", kind);
});

test("pictures are edited and varied, and a recording is translated, at the paths of the members", async () => {
  const forms: FormData[] = [];
  peer.answer(async ({ bytes, headers, response }) => {
    const type = String(headers["content-type"]);
    forms.push(await new Response(Uint8Array.from(bytes), { headers: { "content-type": type } }).formData());
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"data":[{"b64_json":"AAAA"}],"text":"Hello"}');
  });
  const png = (name: string) => toFile(Buffer.from("\x89PNG\r\n", "latin1"), name, { type: "image/png" });
  await client.images.edit({
    model: "gpt-image-1",
    prompt: "A hat",
    image: [await png("a.png"), await png("b.png")],
  });
  assert.equal(peer.asked.at(-1)?.path, "/v1/images/edits");
  const images = forms.at(-1)?.getAll("image[]") as File[];
  assert.deepEqual(
    images.map(({ name, type }) => [name, type]),
    [
      ["a.png", "image/png"],
      ["b.png", "image/png"],
    ],
  );
  assert.equal(forms.at(-1)?.get("prompt"), "A hat");
  await client.images.createVariation({ image: await png("a.png") });
  assert.equal(peer.asked.at(-1)?.path, "/v1/images/variations");
  const file = await toFile(Buffer.from("ID3"), "a.mp3");
  await client.audio.translations.create({ model: "whisper-1", file });
  assert.equal(peer.asked.at(-1)?.path, "/v1/audio/translations");
  for (const [name, part] of [
    ["prompt", { image: await png("a.png") }],
    ["image", { prompt: "A hat" }],
  ] as const) {
    const form = new FormData();
    for (const [field, value] of Object.entries(part)) form.append(field, value as string);
    const headers = { authorization: `Bearer ${it.key}` };
    const refused = await fetch(`${it.baseUrl}/images/edits`, { method: "POST", body: form, headers });
    const { error } = (await refused.json()) as { error: { param: string } };
    assert.deepEqual([refused.status, error.param], [400, name]);
  }
});

test("a pool without such models says so; a request of another kind is refused before any member", async () => {
  await it.pool({ name: "texts", members: [memberOf(peer, { name: "texts" })] });
  const asked = peer.asked.length;
  const { status, json } = await it.ask("/images/generations", { body: { prompt: "A fox" } });
  assert.equal(status, 400);
  assert.deepEqual(json.error, {
    message: "No member of this pool has `image_models`.",
    type: "invalid_request_error",
    param: "model",
    code: "operation_not_served",
  });
  const form = await it.ask("/audio/transcriptions", { body: { file: "x" } });
  assert.equal(form.status, 415);
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const broken = await it.ask("/audio/transcriptions", { body: "--b\r\nbroken", headers });
  assert.deepEqual(
    [broken.status, (broken.json as { error?: { code?: string } }).error?.code],
    [400, "malformed_body"],
  );
  assert.equal(peer.asked.length, asked);
});
