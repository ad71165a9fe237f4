// The `ai` package with `@ai-sdk/openai-compatible`, unmodified, against a listening server, with a provider on this
// machine and with the sandbox.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, embed, generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { begins, delta, fails, finishes, openaiPeer, type Peer, says } from "./openai-peer.ts";
import { memberOf, type Pooled, pooled } from "./pooled.ts";

let peer: Peer;
let it: Pooled;
before(async () => {
  peer = await openaiPeer();
  it = await pooled({
    members: [
      memberOf(peer),
      { name: "box", kind: "sandbox", models: ["echo", "cut"], embedding_models: ["echo"], priority: 2 },
    ],
  });
});
after(async () => {
  await it?.close();
  await peer?.close();
});

function provider() {
  return createOpenAICompatible({
    name: "trunkline",
    baseURL: it.baseUrl,
    apiKey: it.key,
    includeUsage: true,
  });
}

const weather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

/** Asks for both cities at once, and then says the results. */
function asksForTools(): void {
  peer.answer((request) => {
    const { body } = request;
    const results = (body.messages as { role: string; content: string }[]).filter(
      ({ role }) => role === "tool",
    );
    if (results.length > 0) return says(results.map(({ content }) => content).join(", "))(request);
    const write = begins(request);
    for (const [index, city] of ["Bonn", "Köln"].entries()) {
      const call = {
        index,
        id: `call_${index}`,
        type: "function",
        function: { name: "weather", arguments: "" },
      };
      write(delta(body.model, { tool_calls: [call] }));
      const rest = { index, function: { arguments: JSON.stringify({ city }) } };
      write(delta(body.model, { tool_calls: [rest] }));
    }
    finishes(request, "tool_calls");
  });
}

test("generateText", async () => {
  peer.answer(says("Hello from the provider."));
  const { text, usage, finishReason, response } = await generateText({
    model: provider()("gpt-4o-mini"),
    prompt: "Hello!",
    maxRetries: 0,
  });
  assert.equal(text, "Hello from the provider.");
  assert.equal(finishReason, "stop");
  assert.equal(usage.totalTokens, 12);
  assert.equal(response.modelId, "assistants");
});

test("streamText, with the usage", async () => {
  peer.answer(says("Hello from the provider."));
  const result = streamText({ model: provider()("gpt-4o-mini"), prompt: "Hello!", maxRetries: 0 });
  let text = "";
  for await (const part of result.textStream) text += part;
  assert.equal(text, "Hello from the provider.");
  assert.equal(await result.finishReason, "stop");
  assert.equal((await result.usage).totalTokens, 12);
});

test("tools over two rounds, two at once", async () => {
  asksForTools();
  const result = streamText({
    model: provider()("gpt-4o-mini"),
    prompt: "Where does the sun shine?",
    tools: { weather },
    stopWhen: isStepCount(3),
    maxRetries: 0,
  });
  assert.equal(await result.text, "sunny in Bonn, sunny in Köln");
  const steps = await result.steps;
  assert.equal(steps.length, 2);
  assert.deepEqual(
    steps[0]?.toolCalls.map(({ input }) => input),
    [{ city: "Bonn" }, { city: "Köln" }],
  );
});

test("a failure is recognised by its status, and whether to try again", async () => {
  peer.answer(fails(400, { message: "Too hot.", type: "invalid_request_error", param: "temperature" }));
  await assert.rejects(
    generateText({ model: provider()("gpt-4o-mini"), prompt: "Hello!", maxRetries: 0 }),
    (error) => {
      assert.ok(APICallError.isInstance(error));
      assert.equal(error.statusCode, 400);
      assert.equal(error.message, "Too hot.");
      assert.equal(error.isRetryable, false);
      return true;
    },
  );
});

test("the sandbox echoes, embeds, and breaks off", async () => {
  const { text } = await generateText({ model: provider()("echo"), prompt: "Say this.", maxRetries: 0 });
  assert.equal(text, "Say this.");
  const { embedding } = await embed({ model: provider().embeddingModel("echo"), value: "Hello" });
  assert.ok(embedding.length > 0);
  assert.ok(embedding.every((one) => Number.isFinite(one)));
  const errors: unknown[] = [];
  const result = streamText({
    model: provider()("cut"),
    prompt: "one two three four five six",
    maxRetries: 0,
    onError: ({ error }) => void errors.push(error),
  });
  let output = "";
  const reading = (async () => {
    for await (const part of result.textStream) output += part;
  })();
  // The sandbox speaks by the clock of the system.
  let over = false;
  const ended = reading.finally(() => {
    over = true;
  });
  while (!over) {
    await it.it.clock.advance(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  assert.ok("one two three four five six".startsWith(output.trim()));
  assert.equal(errors.length, 1);
});
