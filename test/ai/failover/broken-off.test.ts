// An answer that the vendor says it broke off: another member's before the first output, an error after it.

import assert from "node:assert/strict";
import test from "node:test";
import { answered, json, pieces, script, streamed } from "../scripted-members.ts";
import { call, failureOf, run } from "./chain-calls.ts";

const reasons = ["insufficient_system_resource", "network_error", "error", "abort"];
const whole = (reason: string) =>
  json({ choices: [{ index: 0, message: { role: "assistant", content: "Half" }, finish_reason: reason }] });
const end = (reason: string) => pieces.finish.replace('"stop"', JSON.stringify(reason));

test("a whole answer is asked of the next member, and counts against the first", async () => {
  for (const reason of reasons) {
    const it = script();
    const first = it.member("first", [whole(reason)]);
    const members = [first, it.member("second", [answered()])];
    for (let turn = 0; turn < 2; turn++) {
      const result = await run(it, call(members));
      assert.equal(result.kind === "answer" && result.won.choice.member.name, "second", reason);
    }
    assert.notEqual(first.health.availability(it.clock.monotonic()).kind, "up", reason);
    assert.equal(failureOf(await run(it, call([first]))).kind, "upstream_error");
  }
});

test("a stream before its first output is asked of the next member, and breaks after it", async () => {
  for (const reason of reasons) {
    const it = script();
    const early = it.member("first", [streamed(pieces.role, end(reason), pieces.done)]);
    const saved = await run(it, call([early, it.member("second", [answered()])], "chat"));
    assert.equal(saved.kind, "answer");
    const late = it.member("first", [streamed(pieces.role, pieces.word("Half"), end(reason), pieces.done)]);
    const result = await run(it, call([late], "stream"));
    assert.equal(result.kind, "streaming");
    if (result.kind !== "streaming") continue;
    let event = await result.stream.next();
    while (event.kind === "chunks") event = await result.stream.next();
    assert.ok(event.kind === "failed" && event.failure.kind === "upstream_error", reason);
  }
});

test("a stream of empty reasons that is closed in the middle is cut", async () => {
  const it = script();
  const word = pieces.word("Half").replace("null", '""');
  const result = await run(it, call([it.member("first", [streamed(pieces.role, word)])], "stream"));
  assert.equal(result.kind, "streaming");
  if (result.kind !== "streaming") return;
  let event = await result.stream.next();
  while (event.kind === "chunks") event = await result.stream.next();
  assert.equal(event.kind === "failed" && event.failure.error.code, "upstream_cut");
});
