// Streams that are collected before they are handed on: what breaks off is rescued, what goes on for ever ends.

import assert from "node:assert/strict";
import test from "node:test";
import { runFailover } from "#ai/failover/failover.ts";
import type { UpstreamStream } from "#ai/failover/upstream-stream.ts";
import { bufferStream } from "#ai/stream/buffered.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { call, failureOf, run } from "../failover/chain-calls.ts";
import { type Piece, pieces, script, streamed, wholeStream } from "../scripted-members.ts";

test("collected: a stream that breaks off, stalls or is malformed is rescued by another", async () => {
  for (const ending of [["cut"], ["silence"], ['data: {"id"\n\n'], []] as Piece[][]) {
    const it = script();
    const broken = streamed(pieces.role, pieces.word("hel"), ...ending);
    const members = [it.member("first", [broken]), it.member("second", [wholeStream])];
    const result = await run(it, call(members, "buffered"));
    assert.equal(result.kind, "buffered");
    assert.equal(result.kind === "buffered" && result.won.memberCount, 2);
    const text = result.kind === "buffered" ? result.chunks.map((one) => one.text).join("") : "";
    assert.ok(!text.includes('"hel"'), "nothing of the broken one is left");
    members[0]!.health.failed(members[0]!.health.begin(1), 1, "upstream_error", null);
    assert.equal(members[0]!.health.isOpen, true, "it counted");
  }
});

test("a caller who leaves has heard something of it; an answer without end is given up", async () => {
  const text = "x".repeat(1024 * 1024);
  let cancelled = 0;
  const chunk = {
    kind: "chunk",
    text,
    output: true,
    finish: false,
    usage: null,
    usageOnly: false,
    units: 1,
  } as const;
  const stream = (body: object) =>
    ({
      next: async () => body,
      cancel: () => {
        cancelled += 1;
      },
    }) as unknown as UpstreamStream;
  const gone = new LightAbortController();
  gone.abort();
  const cut = { kind: "failed", failure: {}, timeout: false };
  assert.deepEqual(await bufferStream({ kind: "streaming", stream: stream(cut) }, gone), {
    kind: "aborted",
    heard: true,
  });
  const endless = stream({ kind: "chunks", chunks: [chunk] });
  const result = await bufferStream({ kind: "streaming", stream: endless }, new LightAbortController());
  assert.ok(result.kind === "failed" && result.failure.error.code === "bad_upstream_answer");
  assert.equal(cancelled, 2);
});

test("a stream that is collected and still speaking at the deadline says nothing against its member", async () => {
  const it = script();
  const member = it.member("only", [streamed(pieces.role, pieces.word("on"), pieces.word(" and"), "hang")]);
  const { open } = it.deps.upstreams;
  it.deps.upstreams.open = async (request) => {
    const result = await open(request);
    if (result.kind !== "answer") return result;
    // A word every 20 s, for ever.
    const read = async (patienceMs: number) => {
      await it.clock.sleep(Math.min(20_000, patienceMs));
      return patienceMs < 20_000
        ? { why: "timeout" as const, reason: "nothing came" }
        : Buffer.from(pieces.word("on"));
    };
    return { ...result, body: { read, cancel: () => {} } };
  };
  for (let turn = 1; turn <= 3; turn++) {
    const buffered = call([member], "buffered", { deadlineAt: turn * 100_000 - 5_000 });
    const failing = runFailover(it.deps, buffered);
    await it.clock.advance(100_000);
    assert.equal(failureOf(await failing).status, 504);
  }
  assert.equal(member.health.isOpen, false);
});
