// A kept answer goes out as it was, free of charge, and says when it was handed on.

import assert from "node:assert/strict";
import test from "node:test";
import { type KeptAnswer, keptOf, replayed, sizeOf } from "#ai/repeats/kept-answer.ts";

const kept: KeptAnswer = {
  fingerprint: "f",
  stream: false,
  text: '{"a":1}',
  media: null,
  served: { provider: "one", model: "gpt" },
  leftOut: ["seed"],
  expiresAt: 1,
};
const served = { provider: "one", model: "gpt", latency_ms: 1.3, attempts: 0, cost: 0 };

test("a whole answer, its bytes too", () => {
  const ended: number[] = [];
  const end = (status: number) => void ended.push(status);
  const answer = { kind: "answer", text: '{"a":1}', served, leftOut: ["seed"] };
  assert.deepEqual(replayed(kept, 1.26, undefined, end), answer);
  assert.deepEqual(ended, [200]);
  const media = { bytes: Buffer.from("sound"), contentType: "audio/mpeg" };
  assert.deepEqual(replayed({ ...kept, text: "", media }, 1.26, undefined, end), {
    ...answer,
    text: "",
    media,
  });
  assert.equal(sizeOf({ text: "abc", media }), 8);
});

test("a stream: once, or not at all for a client that left", async () => {
  const ended: number[] = [];
  const play = () => {
    const keepAlive = () => "\n";
    const result = replayed({ ...kept, stream: true }, 1.26, keepAlive, (status) => void ended.push(status));
    assert.ok(result.kind === "stream");
    // It may still be waited for behind headers that were sent.
    assert.equal(result.stream.keepAlive, keepAlive);
    assert.deepEqual(result.served, served);
    return result.stream;
  };
  const stream = play();
  assert.deepEqual(ended, []);
  assert.deepEqual([await stream.next(), await stream.next()], ['{"a":1}', null]);
  stream.cancel();
  assert.deepEqual(ended.splice(0), [200]);
  const left = play();
  left.cancel();
  assert.equal(await left.next(), null);
  assert.deepEqual(ended, [499]);
});

test("of who served it, the member and its model are kept; an early stream has none", () => {
  const answer = { kind: "answer" as const, text: "{}", served: { ...served, attempts: 2 } };
  assert.deepEqual(keptOf(answer), { served: kept.served, leftOut: [] });
  const stream = { next: async () => null, cancel: () => {}, stop: () => {} };
  assert.equal(keptOf({ kind: "stream", stream, served: null }).served, null);
  const early = replayed({ ...kept, stream: true, served: null }, 1, undefined, () => {});
  assert.ok(early.kind === "stream" && early.served === null);
});
