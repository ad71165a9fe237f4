// Parameters read one by one: what is unread is named, hints and defaults pass, bounds hold.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatOf,
  maxTokensOf,
  requestFields,
  stopsOf,
  toolChoiceOf,
  toolsOf,
} from "#providers/translate/request-fields.ts";

const fields = (body: Record<string, unknown>) => requestFields(body, "Vendor");
const refusedParam = (body: Record<string, unknown>) => fields(body).firstIssue()?.param ?? null;
const tool = { type: "function", function: { name: "f", strict: true, parameters: { type: "object" } } };

test("what no adapter read is refused by name, unless it asks for nothing", () => {
  assert.deepEqual(fields({ logit_bias: { "1": 2 } }).firstIssue(), {
    kind: "unsupported_parameter",
    param: "logit_bias",
    message: "Vendor has no equivalent of `logit_bias`.",
  });
  for (const name of ["n", "logprobs", "brand_new", "__proto__", "functions"]) {
    assert.equal(refusedParam(JSON.parse(`{"${name}":2}`)), name);
  }
  assert.equal(
    refusedParam({
      model: "x",
      messages: [],
      stream: true,
      store: true,
      metadata: {},
      verbosity: "low",
      presence_penalty: 1,
      frequency_penalty: -1,
      prompt_cache_options: { mode: "explicit" },
      service_tier: "flex",
      n: 1,
      logprobs: false,
      logit_bias: {},
      modalities: ["text"],
      tools: null,
      brand_new: null,
      base_url: "http://evil.test",
    }),
    null,
  );
});

test("numbers keep their bounds, and the first fault is reported", () => {
  const read = fields({ temperature: 3, seed: 1.5, top_p: 0.5 });
  assert.equal(read.number("temperature", 0, 2), undefined);
  assert.equal(read.whole("seed", 0, 9), undefined);
  assert.equal(read.number("top_p", 0, 1), 0.5);
  assert.equal(read.number("top_k", 0, 1), undefined);
  assert.equal(read.firstIssue()?.param, "temperature");
  for (const wrong of ["1", true, {}, Number.NaN]) {
    const other = fields({ temperature: wrong });
    other.number("temperature", 0, 2);
    assert.equal(other.firstIssue()?.param, "temperature");
  }
});

test("stop: none, one or several texts", () => {
  assert.deepEqual(stopsOf(fields({})), []);
  assert.deepEqual(stopsOf(fields({ stop: null })), []);
  assert.deepEqual(stopsOf(fields({ stop: "a" })), ["a"]);
  assert.deepEqual(stopsOf(fields({ stop: ["a", "b"] })), ["a", "b"]);
  const wrong = fields({ stop: ["a", 1] });
  stopsOf(wrong);
  assert.equal(wrong.firstIssue()?.param, "stop");
});

test("the newer name of the token limit goes first", () => {
  assert.equal(maxTokensOf(fields({ max_tokens: 5 })), 5);
  assert.equal(maxTokensOf(fields({ max_tokens: 5, max_completion_tokens: 9 })), 9);
  const wrong = fields({ max_tokens: 0 });
  maxTokensOf(wrong);
  assert.equal(wrong.firstIssue()?.param, "max_tokens");
});

test("tools and the choice among them", () => {
  const read = fields({ tools: [tool], tool_choice: { type: "function", function: { name: "f" } } });
  const tools = toolsOf(read);
  assert.deepEqual(tools, [{ name: "f", description: null, parameters: { type: "object" }, strict: true }]);
  assert.deepEqual(toolChoiceOf(read, tools), { kind: "named", names: ["f"] });
  assert.equal(read.firstIssue(), null);
  for (const choice of ["auto", "none", "required"] as const) {
    assert.deepEqual(toolChoiceOf(fields({ tool_choice: choice }), tools), { kind: choice });
  }
  for (const choice of [{ type: "function", function: { name: "g" } }, { type: "allowed_tools" }, "any", 1]) {
    const wrong = fields({ tool_choice: choice });
    toolChoiceOf(wrong, tools);
    assert.equal(wrong.firstIssue()?.param, "tool_choice");
  }
  for (const input of [
    [{ type: "custom" }],
    [{ type: "function" }],
    [null],
    "x",
    [{ ...tool, function: {} }],
  ]) {
    const wrong = fields({ tools: input });
    toolsOf(wrong);
    assert.equal(wrong.firstIssue()?.param, "tools", JSON.stringify(input));
  }
});

test("the form of the answer", () => {
  assert.equal(formatOf(fields({ response_format: { type: "text" } })), undefined);
  assert.deepEqual(formatOf(fields({ response_format: { type: "json_object" } })), { kind: "json_object" });
  const schema = { type: "object" };
  assert.deepEqual(formatOf(fields({ response_format: { type: "json_schema", json_schema: { schema } } })), {
    kind: "json_schema",
    schema,
  });
  for (const format of ["json", { type: "grammar" }, { type: "json_schema", json_schema: {} }]) {
    const wrong = fields({ response_format: format });
    formatOf(wrong);
    assert.equal(wrong.firstIssue()?.param, "response_format");
  }
});
