// A stream whose answer is still waited for: what comes of it follows, and an error ends it in the stream.

import assert from "node:assert/strict";
import test from "node:test";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import type { CompletionResult } from "#ai/completion.ts";
import { lateStream } from "#ai/repeats/late-stream.ts";

const read = { text: "{}", body: {}, model: null, stream: true, includeUsage: false };
const api = new ChatCompletionsRequest(read);
const scripted = (texts: (string | null)[], seen: string[] = []): CompletionResult => ({
  kind: "stream",
  served: null,
  stream: {
    next: async () => texts.shift() ?? null,
    cancel: () => void seen.push("cancel"),
    stop: () => void seen.push("stop"),
  },
});

test("the answer follows, and stopping reaches it", async () => {
  const seen: string[] = [];
  const stream = lateStream(api, Promise.resolve(scripted(["one", "two"], seen)));
  stream.stop();
  assert.deepEqual([await stream.next(), await stream.next(), await stream.next()], ["one", "two", null]);
  stream.stop();
  stream.cancel();
  assert.deepEqual(seen, ["stop", "cancel"]);
});

test("an error ends it in the stream; a call whose client left ends it silently", async () => {
  const error = { message: "No.", type: "server_error", param: null, code: "x" };
  const failing = lateStream(
    api,
    Promise.resolve({ kind: "error", status: 502, error, retryAfterMs: null, served: null }),
  );
  assert.match((await failing.next()) ?? "", /"code":"x"/);
  assert.equal(await failing.next(), null);
  assert.equal(await lateStream(api, Promise.resolve({ kind: "aborted" })).next(), null);
});

test("a client that leaves during the wait leaves what comes of it", async () => {
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<CompletionResult>();
  const stream = lateStream(api, promise);
  const next = stream.next();
  stream.cancel();
  resolve(scripted(["one"], seen));
  assert.equal(await next, null);
  assert.deepEqual(seen, ["cancel"]);
});
