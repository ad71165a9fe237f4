// Compaction: what is refused before a member is asked. Over real connections: test/http/routes/ai/passed-on.test.ts.

import assert from "node:assert/strict";
import test from "node:test";
import { compactionApi } from "#ai/apis/responses/compaction.ts";
import { isProblem } from "#contract/problem.ts";

const [operation] = compactionApi.operations;

test("a conversation comes with its request, and goes back whole and at once", () => {
  const refused = (more: object) => isProblem(operation!.read(JSON.stringify({ input: "Hi", ...more }), {}));
  assert.ok(!refused({}));
  assert.ok(!refused({ stream: false, background: false, previous_response_id: null }));
  for (const more of [
    { input: [] },
    { stream: true },
    { background: true },
    { previous_response_id: "resp_1" },
  ])
    assert.ok(refused(more), JSON.stringify(more));
});

test("the answer names the member, and a model only where it had one", () => {
  const body = { input: "Hi" };
  const read = { text: "", body, model: null, stream: false, includeUsage: false };
  const received = {
    headers: { "session-id": "s", cookie: "c" },
    stem: "s",
    created: 0,
    query: new URLSearchParams(),
  };
  const request = compactionApi.request(read, received);
  assert.deepEqual(request.headers, { "session-id": "s" });
  const served = { provider: "one", model: "gpt-5", latency_ms: 1, attempts: 1 };
  const rules = { model: "mine", created: 0, served, promptTokens: 1 };
  assert.deepEqual(JSON.parse(request.answer('{"output":[]}', true, rules)), {
    output: [],
    service_pool: served,
  });
  assert.equal(JSON.parse(request.answer('{"model":"gpt-5"}', true, rules)).model, "mine");
});
