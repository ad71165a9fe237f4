// Failures whose cause may be the request: the next member is asked, the last one's is a 502, and however often they come,
// the member stays in use for other callers.

import assert from "node:assert/strict";
import test from "node:test";
import { statusOf } from "#ai/call-errors.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { answered, json, pieces, type Reply, type Script, script, streamed } from "../scripted-members.ts";
import { call, failureOf, run } from "./chain-calls.ts";

const settings = gemini.settings.parse({ api_key: "k", base_url: "https://first.test" });
const brokenOff = (reason: string) => ({
  candidates: [{ content: { parts: [{ text: "Let me" }] }, finishReason: reason, index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});
const geminiMember = (it: Script, reply: Reply) =>
  it.member("first", [reply], { provider: gemini, settings, models: ["gemini-3"] });

test("what Gemini breaks off at a request goes to the next member, as often as it comes", async () => {
  for (const reason of ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER"]) {
    const it = script();
    const first = geminiMember(it, json(brokenOff(reason)));
    const members = [first, it.member("second", [answered()])];
    for (let turn = 0; turn < 12; turn++) {
      const result = await run(it, call(members));
      assert.equal(result.kind === "answer" && result.won.choice.member.name, "second");
    }
    assert.equal(it.names().filter((name) => name === "first").length, 12, reason);
    assert.equal(first.health.availability(it.clock.monotonic()).kind, "up");
    const alone = failureOf(await run(it, call([first])));
    assert.deepEqual([statusOf(alone), alone.error.code], [502, "bad_upstream_answer"]);
    assert.deepEqual(it.down, []);
  }
});

test("an answer too long, too deep or with too many values leaves its member in use", async () => {
  const deep = `${"[".repeat(300)}${" ".repeat(70_000)}${"]".repeat(300)}`;
  const event = `data: ${deep}\n\n`;
  const replies: [Reply, "chat" | "stream" | "buffered"][] = [
    [{ status: 200, headers: { "content-type": "application/json" }, body: [deep] }, "chat"],
    [{ status: 200, headers: { "content-type": "application/json" }, body: ["x".repeat(9000)] }, "chat"],
    [streamed(event), "stream"],
    [streamed(pieces.role, pieces.word("a"), event), "buffered"],
  ];
  for (const [reply, mode] of replies) {
    const it = script();
    it.deps.answerBytes = 8192 * 10;
    if (reply === replies[1]![0]) it.deps.answerBytes = 8192;
    const first = it.member("first", [reply]);
    for (let turn = 0; turn < 12; turn++) failureOf(await run(it, call([first], mode)));
    assert.equal(first.health.availability(it.clock.monotonic()).kind, "up", mode);
    assert.deepEqual(it.down, []);
  }
});

test("an answer that is no JSON, short as it is, still counts", async () => {
  const it = script();
  const first = it.member("first", [
    { status: 200, headers: { "content-type": "application/json" }, body: ["{"] },
  ]);
  for (let turn = 0; turn < 2; turn++) failureOf(await run(it, call([first])));
  assert.notEqual(first.health.availability(it.clock.monotonic()).kind, "up");
});

test("what a server lacks or finds too long is another member's, at any status and as often as it comes", async () => {
  const words: readonly [number, string, string][] = [
    [500, "image input is not supported - hint: you may need to provide the mmproj", "unsupported"],
    [500, "tools param requires --jinja flag", "unsupported"],
    [500, "Jinja Exception: Conversation roles must alternate user/assistant/...", "unsupported"],
    [503, "gemma3 does not support tools", "unsupported"],
    [500, "input (12002 tokens) is too large to process. increase the physical batch size", "context_length"],
  ];
  for (const [status, message, kind] of words) {
    const it = script();
    const first = it.member("first", [
      json({ error: { message, type: "server_error", code: status } }, status),
    ]);
    const members = [first, it.member("second", [answered()])];
    for (let turn = 0; turn < 12; turn++) {
      const result = await run(it, call(members));
      assert.equal(result.kind === "answer" && result.won.choice.member.name, "second", message);
    }
    assert.equal(it.names().filter((name) => name === "first").length, 12, "asked once each time");
    assert.equal(first.health.availability(it.clock.monotonic()).kind, "up", message);
    const alone = failureOf(await run(it, call([first])));
    assert.deepEqual([alone.kind, statusOf(alone), alone.error.type], [kind, 400, "invalid_request_error"]);
  }
});
