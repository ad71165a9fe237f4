// Answers cut into pieces: the same bytes come out, and pieces are counted beside bytes.

import assert from "node:assert/strict";
import test from "node:test";
import { Exchange } from "#runtime/net/exchange.ts";
import type { OutboundResult } from "#runtime/runtime.ts";

function answering(maxBytes: number) {
  const results: OutboundResult[] = [];
  let aborted = 0;
  const connection = { abandon: () => aborted++ } as never;
  const limits = { host: "x", timeoutMs: 60_000, maxBytes, truncate: false, signal: undefined };
  const exchange = new Exchange(limits, (result) => results.push(result));
  exchange.onStart(connection);
  exchange.onHead(200, { "transfer-encoding": "chunked" });
  const add = (pieces: number, text = "a") => {
    for (let at = 0; at < pieces; at++) exchange.onData(Buffer.from(text), 1);
  };
  return { exchange, results, add, aborted: () => aborted };
}

test("an answer in many pieces is put together", () => {
  const { exchange, results, add } = answering(1_048_576);
  add(16_000, "ab");
  exchange.onEnd();
  const [result] = results;
  assert.equal(result?.kind === "answer" && result.body.toString(), "ab".repeat(16_000));
});

test("an answer in far too many pieces is refused, and its connection is given up", () => {
  const { results, add, aborted } = answering(1_048_576);
  add(16_384);
  assert.deepEqual(results, []);
  add(1);
  const reason = "No complete answer from x: it came in too many pieces.";
  assert.deepEqual(results, [{ kind: "no_answer", reason }]);
  assert.equal(aborted(), 1);
});
