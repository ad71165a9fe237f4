// Whole answers that are asked for as streams (`whole_answers: stream`), and streams that come whole, at members that speak the
// client's own format.

import assert from "node:assert/strict";
import test from "node:test";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { Chunk } from "#providers/provider.ts";
import { anthropicEvents, anthropicMessage } from "../../http/anthropic-peer.ts";
import { responsesEvents, upstreamResponse } from "../../http/responses-peer.ts";
import { json, type Reply, type Script, script, streamed } from "../scripted-members.ts";
import { call, run } from "./chain-calls.ts";

/** A client API, a member that speaks it, its stream, and the whole answer that the stream tells. */
const apis = [
  {
    name: "messages",
    api: (text: string, body: object) =>
      createMessagesRequest({ text, body: { ...body }, headers: {} }, "stem"),
    body: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hello" }] },
    member: (it: Script, name: string, replies: readonly Reply[]) =>
      it.member(name, replies, {
        provider: anthropic,
        settings: anthropic.settings.parse({ api_key: "key", base_url: `http://${name}.test` }),
      }),
    events: anthropicEvents("m"),
    whole: anthropicMessage("m"),
    id: anthropicMessage("m").id,
    says: "I will create it.",
  },
  {
    name: "responses",
    api: (text: string, body: object) =>
      createResponsesRequest({ text, body: { ...body }, headers: {} }, "stem", 1),
    body: { model: "m", input: "hello" },
    member: (it: Script, name: string, replies: readonly Reply[]) =>
      it.member(name, replies, {
        settings: openaiCompatible.settings.parse({ base_url: `http://${name}.test/v1`, responses: true }),
      }),
    events: responsesEvents("m"),
    whole: upstreamResponse("m"),
    id: upstreamResponse("m").id,
    says: "I will create it.",
  },
] as const;

for (const { name, api, body, member, events, whole, id, says } of apis) {
  const text = JSON.stringify(body);
  const asked = () => ({ text, body, api: api(text, body) });

  test(`${name}: a silent member is left at its first-token limit, and the other one's stream is one answer`, async () => {
    const it = script();
    const members = [member(it, "silent", ["silent"]), member(it, "well", [streamed(...events)])];
    const result = await run(it, call(members, "folded", asked()));
    assert.ok(result.kind === "answer");
    assert.equal(result.won.choice.member.name, "well");
    assert.deepEqual([result.won.forwarded, it.asked[1]!.at <= 120_000], [true, true]);
    assert.deepEqual(
      it.asked.map(({ request }) => JSON.parse(String(request.body)).stream),
      [true, true],
    );
    const answer = JSON.parse(api(text, body).answer(result.text, true, rules));
    assert.deepEqual([answer.id, answer.model], [id, "asked"]);
    assert.ok(result.text.includes(says));
    assert.ok((result.usage?.totalTokens ?? 0) > 0);
  });

  test(`${name}: an answer that breaks off is rescued by another member`, async () => {
    const it = script();
    const cut = streamed(...events.slice(0, -2), "cut");
    const members = [member(it, "cut", [cut]), member(it, "well", [streamed(...events)])];
    const result = await run(it, call(members, "folded", asked()));
    assert.equal(result.kind === "answer" && result.won.choice.member.name, "well");
  });

  test(`${name}: a whole answer to a request for a stream serves as its stream`, async () => {
    const it = script();
    const result = await run(it, call([member(it, "whole", [json(whole)])], "stream", asked()));
    assert.ok(result.kind === "streaming");
    const chunks: Chunk[] = [];
    for (;;) {
      const read = await result.stream.next();
      if (read.kind !== "chunks") {
        assert.equal(read.kind, "done");
        break;
      }
      chunks.push(...read.chunks);
    }
    const text = chunks.map(({ text }) => text).join("");
    assert.ok(text.includes(id));
    assert.match(text, /"type":"(text_delta|response\.output_text\.delta)"/);
    assert.deepEqual([it.down, chunks.at(-1)?.usage?.totalTokens], [[], 14]);
  });

  test(`${name}: an error in place of a stream is the next member's turn`, async () => {
    const it = script();
    const broken = json({ type: "error", error: { type: "overloaded_error", message: "Full." } });
    const members = [member(it, "broken", [broken]), member(it, "well", [json(whole)])];
    const result = await run(it, call(members, "stream", asked()));
    assert.equal(result.kind === "streaming" && result.won.choice.member.name, "well");
  });
}

const rules = {
  model: "asked",
  created: 1,
  served: { provider: "well", model: "m", latency_ms: 5, attempts: 2 },
  promptTokens: 1,
};
