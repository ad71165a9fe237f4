// A member's stream as it is read: how it ends, and what is silence.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { UpstreamStream } from "#ai/failover/upstream-stream.ts";
import { openaiCompatible as provider } from "#providers/openai/openai-compatible.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { heard, incoming, timeouts } from "../wire.ts";

const chunk = (delta: object, reason: string | null = null, index = 0) =>
  `data: ${JSON.stringify({ choices: [{ index, delta, finish_reason: reason }] })}\n\n`;
const [role, hi] = [chunk({ role: "assistant", content: "" }), chunk({ content: "hi" })];
const stop = chunk({}, "stop");
const done = "data: [DONE]\n\n";

describe("the end of a stream", () => {
  const ends: [string, string, number, string][] = [
    ["a finish and [DONE]", role + hi + stop + done, 1, "done"],
    ["a finish without [DONE]", role + hi + stop, 1, "done"],
    ["[DONE] without a finish", role + hi + done, 1, "upstream_cut"],
    ["neither", role + hi, 1, "upstream_cut"],
    ["a frame that was cut", `${role + hi + stop}data: {"usage":`, 1, "malformed_frame"],
    ["one choice of two that were asked for", role + hi + stop, 2, "upstream_cut"],
    [
      "one of two that had begun, and [DONE]",
      hi + chunk({ content: "x" }, null, 1) + stop + done,
      2,
      "upstream_cut",
    ],
    ["both", hi + stop + chunk({ content: "x" }, "stop", 1), 2, "done"],
    ["the one that a vendor makes for each request, and [DONE]", hi + stop + done, 2, "done"],
  ];
  for (const [name, wire, n, expected] of ends) {
    test(name, async () => {
      const { end } = await heard(provider, { messages: [], n }, "m", [Buffer.from(wire)]);
      assert.equal(end === "done" ? end : end.error.code, expected);
    });
  }

  test("what goes on saying something ends all the same when its time is over", async () => {
    const clock = movableClock();
    const reader = provider.stream(requestOf({ messages: [] }, "m", true));
    const body = {
      ...incoming([]).body,
      read: async () => {
        await clock.advance(100);
        return Buffer.from(hi);
      },
    };
    const stream = new UpstreamStream(clock, body, reader, timeouts, 1_000);
    let event = await stream.next();
    while (event.kind === "chunks" && clock.monotonic() < 5_000) event = await stream.next();
    assert.ok(event.kind === "failed" && event.timeout && event.overtime, JSON.stringify(event));
    assert.equal(clock.monotonic(), 1_000);
  });

  test("time that its caller takes to read is no silence, and the silence behind it is noticed as ever", async () => {
    const clock = movableClock();
    const reader = provider.stream(requestOf({ messages: [] }, "m", true));
    const patiences: number[] = [];
    const pieces = [hi, hi, hi];
    const body = {
      ...incoming([]).body,
      read: async (patienceMs: number) => {
        patiences.push(patienceMs);
        // The first word takes 50 s; later ones are there already, but for what never comes.
        await clock.advance(patiences.length === 1 ? 50_000 : 0);
        const piece = pieces.shift();
        if (piece !== undefined) return Buffer.from(piece);
        await clock.advance(20_000);
        return Buffer.from(": ping\n\n");
      },
    };
    const stream = new UpstreamStream(clock, body, reader, { ...timeouts, first_token_ms: 60_000 }, 1e9);
    assert.equal(await stream.firstToken(0), null);
    for (let turn = 0; turn < 3; turn++) {
      const event = await stream.next();
      assert.equal(event.kind, "chunks", JSON.stringify(event));
      await clock.advance(400_000);
    }
    const before = clock.monotonic();
    const event = await stream.next();
    assert.ok(event.kind === "failed" && event.timeout && !event.overtime);
    assert.equal(clock.monotonic() - before, 60_000);
  });

  test("the wait for the first word is no time of the caller's: the silence behind it is as long as any", async () => {
    const clock = movableClock();
    const reader = provider.stream(requestOf({ messages: [] }, "m", true));
    const body = {
      ...incoming([]).body,
      read: async () => {
        const first = clock.monotonic() === 0;
        await clock.advance(first ? 50_000 : 10_000);
        return Buffer.from(first ? hi : ": ping\n\n");
      },
    };
    const stream = new UpstreamStream(clock, body, reader, { ...timeouts, first_token_ms: 60_000 }, 1e9);
    assert.equal(await stream.firstToken(0), null);
    assert.equal((await stream.next()).kind, "chunks");
    assert.equal((await stream.next()).kind, "failed");
    assert.equal(clock.monotonic(), 110_000);
  });

  test("pings are life, but not for ever", async () => {
    const clock = movableClock();
    const reader = provider.stream(requestOf({ messages: [] }, "m", true));
    const patiences: number[] = [];
    let reads = 0;
    const body = {
      ...incoming([]).body,
      read: async (patienceMs: number) => {
        patiences.push(patienceMs);
        await clock.advance(25_000);
        return reads++ < 100 ? Buffer.from(": ping\n\n") : null;
      },
    };
    const stream = new UpstreamStream(clock, body, reader, timeouts, 600_000);
    const event = await stream.next();
    assert.ok(event.kind === "failed" && event.timeout);
    assert.deepEqual(patiences, [30_000, 30_000, 30_000, 30_000, 20_000]);
  });
});
