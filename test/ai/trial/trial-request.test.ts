// The request of a trial as a chat completion, and its answer as events.

import assert from "node:assert/strict";
import test from "node:test";
import { chatBody, TrialRequest } from "#ai/trial/trial-request.ts";
import { tryPoolRequest } from "#contract/manage/pools/try.ts";
import { chunkWriter } from "#providers/translate/completion.ts";

const messages = [{ role: "user", content: "Hi" }];

test("the body has what the person said, and nothing of what they left to the model", () => {
  const read = (input: object) => chatBody(tryPoolRequest.parse({ messages, ...input }));
  assert.deepEqual(read({ pretend_down: ["mem_1"] }), { messages, stream: true });
  const chosen = { model: "m", temperature: 0, max_tokens: 9, stop: ["."] };
  assert.deepEqual(read(chosen), { messages, ...chosen, stream: true });
});

test("texts, reasoning and refusals are chunks; what ended the answer is kept for the event that tells it", () => {
  const body = chatBody(tryPoolRequest.parse({ messages }));
  const request = new TrialRequest({ text: JSON.stringify(body), body, includeUsage: false });
  const write = chunkWriter({ id: "c", created: 0, model: "m" }, { body });
  const counted = { promptTokens: 1, completionTokens: 2, cachedTokens: null, reasoningTokens: null };
  const chunks = [
    write.role(0),
    write.delta(0, { reasoning_content: "Hm." }),
    write.delta(0, { content: "Yes" }),
    write.delta(0, { refusal: "No" }),
    write.finish(0, "stop"),
    write.usage(counted),
  ];
  const writer = request.writer();
  const written = chunks.map((chunk) => writer.chunk(chunk)).join("") + writer.done();
  assert.equal(
    written,
    'event: chunk\ndata: {"reasoning":"Hm."}\n\nevent: chunk\ndata: {"text":"Yes"}\n\nevent: chunk\ndata: {"text":"No"}\n\n',
  );
  assert.deepEqual([request.finishReason, writer.usage?.totalTokens, request.error], ["stop", 3, null]);
  const error = { message: "Cut.", type: "server_error", param: null, code: "upstream_cut" };
  assert.equal(writer.failed(error), "");
  assert.deepEqual(request.error, error);
});
