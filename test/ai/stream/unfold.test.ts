// A whole answer to a streamed request is that stream, with every field and every digit.

import assert from "node:assert/strict";
import test from "node:test";
import { unfold } from "#ai/stream/unfold.ts";
import { openaiStream } from "#providers/openai/stream.ts";
import { fold } from "#providers/translate/fold.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { answerCases } from "../../providers/fixtures.ts";
import { eventsOf } from "../../providers/sse.ts";
import { drain, poolOf, requested, start } from "../completing.ts";
import { answered, json, script } from "../scripted-members.ts";

function chunksOf(text: string) {
  const reader = openaiStream(requestOf({ messages: [] }, "m", true));
  const pieces = eventsOf(unfold(text, {})).flatMap((event) => reader.push(event));
  assert.equal(pieces.at(-1)?.kind, "done");
  assert.equal(reader.missing?.(), false);
  return pieces.filter((piece) => piece.kind === "chunk");
}

test("what is unfolded and folded again is the answer, of every recorded one", () => {
  const answers = answerCases("openai").filter(
    ({ failure, wire }) => failure === undefined && typeof wire !== "string",
  );
  assert.ok(answers.length > 5);
  for (const { name, wire } of answers) {
    const whole = wire as { choices: { message: object; logprobs?: unknown }[] };
    if (whole.choices.length === 0) continue;
    const again = JSON.parse(fold(chunksOf(JSON.stringify(wire))).text) as typeof whole;
    // Folding says `null` where an answer says nothing.
    for (const choice of whole.choices) choice.message = { content: null, ...choice.message };
    for (const choice of [...whole.choices, ...again.choices]) choice.logprobs ??= null;
    assert.deepEqual(again, whole, name);
  }
});

test("calls are numbered, and arguments keep their digits", () => {
  const call = (id: string) => ({
    id,
    type: "function",
    function: { name: "f", arguments: '{"n":12345678901234567890}' },
  });
  const message = { role: "assistant", content: null, tool_calls: [call("a"), call("b")] };
  const [first] = chunksOf(
    JSON.stringify({ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }], n: 0 }).replace(
      '"n":0',
      '"n":12345678901234567890',
    ),
  );
  assert.match(first?.text ?? "", /"n":12345678901234567890/);
  const { choices } = JSON.parse(first?.text ?? "") as {
    choices: { delta: { tool_calls: { index: number }[] } }[];
  };
  assert.deepEqual(
    choices[0]?.delta.tool_calls.map(({ index }) => index),
    [0, 1],
  );
});

test("where the caller asks for usage, each event before it says null", () => {
  const answer = {
    choices: [{ index: 0, message: { content: "x" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const usageIn = (body: object) =>
    eventsOf(unfold(JSON.stringify(answer), { ...body }))
      .slice(0, -1)
      .map(({ data }) => (JSON.parse(data) as { usage?: unknown }).usage);
  assert.deepEqual(usageIn({ stream_options: { include_usage: true } }), [null, null, answer.usage]);
  assert.deepEqual(usageIn({}), [undefined, undefined, answer.usage]);
});

test("a member that answers a stream with JSON serves it, and is as well as before", async () => {
  const it = script();
  const { completed, spent } = start(it, poolOf([it.member("a", [answered("whole")])]), requested(true));
  const text = await drain(await completed);
  assert.match(text, /"content":"whole"/);
  assert.match(text, /data: \[DONE\]\n\n$/);
  assert.deepEqual([it.down, spent.map(({ status }) => status)], [[], [200]]);
});

test("an empty answer that the vendor counted tokens of is one, whole and streamed; without them the next member is asked", async () => {
  const empty = (completion_tokens: number) =>
    json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "theirs",
      choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 7, completion_tokens, total_tokens: 7 + completion_tokens },
    });
  const asStream = (tokens: number) => {
    const reply = empty(tokens);
    if (typeof reply === "string" || !("body" in reply)) throw new Error("no body");
    return {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      body: [unfold(String(reply.body[0]), {})],
    };
  };
  for (const stream of [false, true])
    for (const tokens of [2, 0]) {
      const it = script();
      const reply = stream ? asStream(tokens) : empty(tokens);
      const members = [it.member("a", [reply]), it.member("b", [answered("from b")])];
      const result = await start(it, poolOf(members), requested(stream)).completed;
      const text = stream ? await drain(result) : result.kind === "answer" ? result.text : "";
      assert.deepEqual(
        [it.names(), text.includes("from b")],
        tokens > 0 ? [["a"], false] : [["a", "b"], true],
      );
    }
});
