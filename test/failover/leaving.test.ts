// Callers who go away, through the real edge: all that was asked of a provider for them is given up at once.

import assert from "node:assert/strict";
import test from "node:test";
import OpenAI from "openai";
import { onGround } from "./bench.ts";
import { fast } from "./profile.ts";

/** A provider that says nothing, one that says nothing but its headers, and one that falls silent. */
const stages = [
  { name: "waiting for a whole answer", primary: "fb-s06-no-response", stream: false, words: 0 },
  { name: "before the head", primary: "fb-s06-no-response", stream: true, words: 0 },
  { name: "before the first word", primary: "fb-s07-slow-ttft", stream: true, words: 0 },
  { name: "inside the stream", primary: "fb-s09-stream-stall", stream: true, words: 20 },
  { name: "while it is collected", primary: "fb-s09-stream-stall", stream: true, words: 0, mode: "complete" },
] as const;

/** On a busy machine one of three tries has to keep the time. */
const tries = 3;
const withinMs = 100;

test("the upstream is given up within 100 ms of the caller's going, at every stage, and no other member is asked", async () => {
  const patient = { ...fast, patienceMs: 10_000 };
  await onGround(patient, async ({ installation, provider }) => {
    for (const [at, stage] of stages.entries()) {
      const { name, primary, stream, words } = stage;
      const mode = "mode" in stage ? stage.mode : "live";
      const took: number[] = [];
      for (let turn = 0; turn < tries && !took.some((ms) => ms <= withinMs); turn++) {
        const run = `leaving-${at}-${turn}`;
        const key = await installation.pool({
          name: run,
          mode,
          url: provider.url(run),
          primary,
          fallback: "fb-ok",
        });
        const client = new OpenAI({ baseURL: installation.baseUrl, apiKey: key, maxRetries: 0 });
        const gone = new AbortController();
        const messages = [{ role: "user" as const, content: "Say the sixty words." }];
        const asked = client.chat.completions.create(
          { model: run, messages, stream },
          { signal: gone.signal },
        );
        const failed = asked.then(
          () => null,
          () => "failed",
        );
        if (words > 0) {
          let heard = 0;
          for await (const chunk of (await asked) as AsyncIterable<OpenAI.ChatCompletionChunk>) {
            if (chunk.choices[0]?.delta.content) heard += 1;
            if (heard === words) break;
          }
        } else while (provider.busy(run) === 0) await new Promise((resolve) => setImmediate(resolve));
        const leftAt = performance.now();
        gone.abort();
        took.push((await provider.idle(run)) - leftAt);
        if (words === 0) assert.equal(await failed, "failed");
        assert.equal(provider.hits(run, "fb-ok").length, 0, name);
        assert.equal(provider.hits(run, primary).length, 1, name);
      }
      assert.ok(Math.min(...took) <= withinMs, `${name}: ${took.map(Math.round).join(", ")} ms`);
    }
  });
});
