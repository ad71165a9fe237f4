// OpenAI's newer models refuse function tools in chat completions, with and without an effort: another member is asked.

import assert from "node:assert/strict";
import test from "node:test";
import { answered, json, script } from "../scripted-members.ts";
import { body, call, failureOf, run } from "./chain-calls.ts";

const error = {
  message:
    "Function tools with reasoning_effort are not supported for gpt-6. Please use /v1/responses instead.",
  type: "invalid_request_error",
  param: "reasoning_effort",
  code: null,
};

test("the next member is asked, the effort of other requests stays, and the last one's refusal is the answer", async () => {
  for (const effort of [{}, { reasoning_effort: "high" }]) {
    const it = script();
    const first = it.member("first", [json({ error }, 400), answered()]);
    const asked = { ...body, ...effort, tools: [{ type: "function", function: { name: "f" } }] };
    const asking = { body: asked, text: JSON.stringify(asked), pool: { params: "adapt" } as const };
    const result = await run(it, call([first, it.member("second", [answered()])], "chat", asking));
    assert.equal(result.kind === "answer" && result.won.choice.member.name, "second");
    assert.deepEqual(it.names(), ["first", "second"]);
    assert.equal(first.health.availability(it.clock.monotonic()).kind, "up");
    const plain = { ...body, reasoning_effort: "high" };
    await run(it, call([first], "chat", { ...asking, body: plain, text: JSON.stringify(plain) }));
    assert.equal(JSON.parse(String(it.asked[2]?.request.body)).reasoning_effort, "high");
    const last = failureOf(await run(it, call([it.member("third", [json({ error }, 400)])], "chat", asking)));
    assert.deepEqual([last.status, last.error], [400, error]);
  }
});
