// What a call cost, in the body of its answer: in every API, whole and streamed, translated and forwarded, read by the official
// clients, which pass over it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { claudeOf, speaksAnthropic } from "../../anthropic-peer.ts";
import { openaiPeer, type Peer, says } from "../../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../../pooled.ts";
import { responsesMemberOf, speaksResponses } from "../../responses-peer.ts";

const model = "the-model";
/** A unit for each token of the answer, and none for those of the prompt. */
const price = { input: 0, output: 1_000_000, cached_input: 0, cache_write: 0 };

let peers: { chat: Peer; messages: Peer; responses: Peer };
let it: Pooled;

before(async () => {
  peers = {
    chat: await openaiPeer(says("Hello from the provider.")),
    messages: await openaiPeer(speaksAnthropic),
    responses: await openaiPeer(speaksResponses),
  };
  it = await pooled({ members: [memberOf(peers.chat)] });
});
after(async () => {
  await it?.close();
  await Promise.all(Object.values(peers).map((peer) => peer.close()));
});

let pools = 0;
async function ofPool(member: { models: string[] }): Promise<string> {
  const [own = ""] = member.models;
  pools += 1;
  const members = [{ ...member, price, aliases: { [model]: own } }] as never;
  return await it.pool({ name: `priced-${pools}`, members });
}

interface Served {
  service_pool?: { provider: string; attempts: number; cost?: number };
}
const costIn = (value: unknown) => (value as Served).service_pool?.cost;

test("Anthropic's Messages: a message, and the last event of a stream; its client folds the stream as before", async () => {
  for (const member of [memberOf(peers.chat), claudeOf(peers.messages)]) {
    const apiKey = await ofPool(member);
    const client = new Anthropic({ baseURL: it.baseUrl.replace(/\/v1$/, ""), apiKey, maxRetries: 0 });
    const asked = { model, max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }] };
    const whole = await client.messages.create(asked);
    assert.equal(costIn(whole), whole.usage.output_tokens);
    const stream = client.messages.stream(asked);
    const costs: (number | undefined)[] = [];
    stream.on("streamEvent", (event) =>
      costs.push(event.type === "message_stop" ? costIn(event) : undefined),
    );
    const final = await stream.finalMessage();
    assert.ok(final.usage.output_tokens > 0);
    assert.equal(costs.at(-1), final.usage.output_tokens, member.name);
    assert.equal(costIn(final), undefined);
  }
});

test("OpenAI's Responses: a response, and the one in the last event of a stream", async () => {
  for (const member of [memberOf(peers.chat), responsesMemberOf(peers.responses)]) {
    const client = new OpenAI({ baseURL: it.baseUrl, apiKey: await ofPool(member), maxRetries: 0 });
    const whole = await client.responses.create({ model, input: "Hi" });
    assert.ok(whole.usage);
    assert.equal(costIn(whole), whole.usage.output_tokens, member.name);
    const seen: unknown[] = [];
    for await (const event of await client.responses.create({ model, input: "Hi", stream: true }))
      if ("response" in event)
        seen.push([event.type, costIn(event.response), event.response.usage?.output_tokens]);
    const [last] = seen.slice(-1) as [string, number, number][];
    assert.equal(last?.[0], "response.completed");
    assert.ok(last[1] > 0 && last[1] === last[2], String(last));
    assert.deepEqual(
      seen.slice(0, -1).flatMap((each) => (each as unknown[])[1] ?? []),
      [],
    );
  }
});

test("Gemini: a whole answer and the last piece of a stream, which its client reads as before", async () => {
  const apiKey = await ofPool(memberOf(peers.chat));
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: it.baseUrl.replace(/\/v1$/, "") } });
  const answer = await client.models.generateContent({ model, contents: "Hi" });
  assert.equal(answer.text, "Hello from the provider.");
  let text = "";
  for await (const piece of await client.models.generateContentStream({ model, contents: "Hi" }))
    text += piece.text ?? "";
  assert.equal(text, "Hello from the provider.");
  const post = async (operation: string) => {
    const url = `${it.baseUrl}beta/models/${model}:${operation}`;
    const headers = { "content-type": "application/json", "x-goog-api-key": apiKey };
    const body = JSON.stringify({ contents: [{ parts: [{ text: "Hi" }] }] });
    return await (await fetch(url, { method: "POST", headers, body })).json();
  };
  assert.equal(costIn(await post("generateContent")), 3);
  const pieces = (await post("streamGenerateContent")) as Served[];
  assert.deepEqual([pieces.length > 1, ...pieces.flatMap((piece) => costIn(piece) ?? [])], [true, 3]);
});
