// What decides about a request to Anthropic beside the recorded ones: efforts and budgets by model, strict tools,
// and numbers that keep their digits.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anthropicBody, usesJsonTool } from "#providers/anthropic/request.ts";
import { requestOf } from "../conformance-cases.ts";

const version = "2023-06-01";
const messages = [{ role: "user", content: "Hello" }];

function bodyOf(more: Record<string, unknown>, model = "claude-haiku-4-5") {
  const made = anthropicBody(requestOf({ messages, ...more }, model), undefined, version);
  assert.equal(made.kind, "body", JSON.stringify(made));
  return made.body;
}
function refusedAt(more: Record<string, unknown>, model?: string) {
  const made = anthropicBody(
    requestOf({ messages, ...more }, model ?? "claude-haiku-4-5"),
    undefined,
    version,
  );
  return made.kind === "unsupported_parameter" ? made.param : null;
}

test("a budget leaves room for the answer", () => {
  const budget = (max_tokens: number) => bodyOf({ reasoning_effort: "high", max_tokens }).thinking;
  assert.deepEqual(budget(100_000), { type: "enabled", budget_tokens: 16_384 });
  assert.deepEqual(budget(5000), { type: "enabled", budget_tokens: 4000 });
  assert.deepEqual(budget(1025), { type: "enabled", budget_tokens: 1024 });
});

test("without a limit thoughts come on top, within what every model can write; the member's limit is whole", () => {
  const total = (effort: string, own?: number) => {
    const made = anthropicBody(
      requestOf({ messages, reasoning_effort: effort }, "claude-opus-4-1"),
      own,
      version,
    );
    assert.equal(made.kind, "body");
    return [made.body.max_tokens, (made.body.thinking as { budget_tokens: number }).budget_tokens];
  };
  assert.deepEqual(total("low"), [23_381, 2048]);
  assert.deepEqual(total("max"), [32_000, 24_000]);
  assert.deepEqual(total("max", 10_000), [10_000, 8000]);
});

test("effort none: said only to models that think unasked", () => {
  assert.equal(bodyOf({ reasoning_effort: "none" }).thinking, undefined);
  assert.equal(bodyOf({ reasoning_effort: "none" }, "claude-opus-4-7").thinking, undefined);
  assert.deepEqual(bodyOf({ reasoning_effort: "none" }, "claude-haiku-5-5").thinking, { type: "disabled" });
});

test("a model that does not think, and an effort that is unknown, are refused", () => {
  assert.equal(refusedAt({ reasoning_effort: "low" }, "claude-3-5-haiku-latest"), "reasoning_effort");
  assert.equal(refusedAt({ reasoning_effort: "extreme" }), "reasoning_effort");
});

test("what a model lacks is refused before it is asked: an effort, a begun answer, a schema in itself", () => {
  assert.equal(refusedAt({ reasoning_effort: "xhigh" }, "claude-opus-4-6"), "reasoning_effort");
  assert.equal(refusedAt({ reasoning_effort: "xhigh" }, "claude-opus-4-7"), null);
  const begun = { messages: [...messages, { role: "assistant", content: "It is" }] };
  assert.equal(refusedAt(begun, "claude-opus-4-6"), "messages");
  assert.equal(refusedAt(begun, "claude-sonnet-4-5"), null);
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
  const schema = { type: "object", properties: { first: { $ref: "#/$defs/node" } }, $defs: { node } };
  const format = { type: "json_schema", json_schema: { name: "x", schema } };
  assert.equal(refusedAt({ response_format: format }), "response_format");
});

test("in the middle of a round of tools a budget model goes on without thinking", () => {
  const round = [
    ...messages,
    {
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "" } }],
    },
    { role: "tool", tool_call_id: "a", content: "1" },
  ];
  const more = { messages: round, reasoning_effort: "high" };
  assert.equal(bodyOf(more).thinking, undefined);
  assert.deepEqual(bodyOf(more, "claude-opus-4-6").thinking, { type: "adaptive", display: "summarized" });
});

test("thinking as Anthropic has it passes, and excludes samplers", () => {
  const thinking = { type: "enabled", budget_tokens: 2000 };
  assert.deepEqual(bodyOf({ thinking, max_tokens: 4000 }).thinking, thinking);
  assert.equal(refusedAt({ thinking, temperature: 0 }), "temperature");
  assert.equal(refusedAt({ thinking: true }), "thinking");
  assert.deepEqual(bodyOf({ top_k: 5 }).top_k, 5);
});

test("tools are strict where Anthropic can be", () => {
  const tool = (parameters: object) => ({
    type: "function",
    function: { name: "f", strict: true, parameters },
  });
  const closed = { type: "object", properties: { a: { type: "number", minimum: 1 } } };
  const strict = {
    name: "f",
    input_schema: {
      type: "object",
      properties: { a: { type: "number", description: "{minimum: 1}" } },
      additionalProperties: false,
    },
    strict: true,
  };
  assert.deepEqual(bodyOf({ tools: [tool(closed)] }).tools, [strict]);
  assert.deepEqual(bodyOf({ tools: [tool(closed)] }, "claude-sonnet-4-0").tools, [
    { name: "f", input_schema: closed },
  ]);
  const open = { type: "object", additionalProperties: true };
  assert.deepEqual(bodyOf({ tools: [tool(open)] }).tools, [{ name: "f", input_schema: open }]);
  const many = Array.from({ length: 21 }, () => tool(closed));
  assert.deepEqual((bodyOf({ tools: many }).tools as object[])[0], { name: "f", input_schema: closed });
  assert.deepEqual(bodyOf({ tools: [{ type: "function", function: { name: "f" } }] }).tools, [
    { name: "f", input_schema: { type: "object" } },
  ]);
});

test("choices of tools", () => {
  const tools = [{ type: "function", function: { name: "f" } }];
  const choice = (more: object) => bodyOf({ tools, ...more }).tool_choice;
  assert.equal(choice({}), undefined);
  assert.deepEqual(choice({ parallel_tool_calls: false }), { type: "auto", disable_parallel_tool_use: true });
  assert.deepEqual(choice({ tool_choice: "auto" }), { type: "auto" });
  assert.deepEqual(choice({ tool_choice: "none", parallel_tool_calls: false }), { type: "none" });
  assert.deepEqual(choice({ tool_choice: { type: "function", function: { name: "f" } } }), {
    type: "tool",
    name: "f",
  });
  assert.equal(bodyOf({ tool_choice: "none" }).tool_choice, undefined);
});

test("numbers of a schema keep their digits", () => {
  const text =
    '{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"id":{"const":12345678901234567890}}}}}]}';
  const made = anthropicBody(
    { text, body: JSON.parse(text), model: "claude", stream: false },
    undefined,
    version,
  );
  assert.equal(made.kind, "body");
  assert.match(JSON.stringify(made.body), /"const":12345678901234567890\b/);
});

test("a user's id that is too long stays here", () => {
  assert.deepEqual(bodyOf({ user: "u".repeat(256) }).metadata, { user_id: "u".repeat(256) });
  assert.equal(bodyOf({ user: "u".repeat(257) }).metadata, undefined);
});

test("only json_object is answered by a tool", () => {
  assert.equal(
    usesJsonTool({ body: { response_format: { type: "json_object" } }, model: "claude-haiku-4-5" }),
    true,
  );
  for (const response_format of [undefined, null, "json_object", { type: "json_schema" }]) {
    assert.equal(usesJsonTool({ body: { response_format }, model: "claude-haiku-4-5" }), false);
  }
});

test("models without structured output refuse a schema", () => {
  const response_format = {
    type: "json_schema",
    json_schema: { name: "x", schema: { type: "object", properties: { a: {} } } },
  };
  assert.equal(refusedAt({ response_format }), null);
  assert.equal(refusedAt({ response_format }, "claude-sonnet-4-20250514"), "response_format");
});

test("the newer version of the API takes no samplers, on any model; their defaults say nothing", () => {
  const made = (more: object) =>
    anthropicBody(requestOf({ messages, ...more }, "claude-haiku-4-5"), undefined, "2026-10-21");
  for (const [name, value] of [
    ["temperature", 0],
    ["top_p", 0.5],
    ["top_k", 5],
  ] as const) {
    const refused = made({ [name]: value });
    assert.equal(refused.kind === "unsupported_parameter" && refused.param, name);
    assert.equal(refusedAt({ [name]: value }), null);
  }
  const plain = made({ temperature: 1, top_p: 1 });
  assert.ok(plain.kind === "body" && !("temperature" in plain.body) && !("top_p" in plain.body));
});

test("an instruction takes the place of forced tools at models without them, with the named tool alone", () => {
  const tools = ["f", "g"].map((name) => ({ type: "function", function: { name } }));
  const choiceOf = (model: string, choice: unknown) => {
    const { tool_choice, system, tools: offered } = bodyOf({ tools, tool_choice: choice }, model);
    return [tool_choice, system, (offered as { name: string }[]).map(({ name }) => name)];
  };
  const named = { type: "function", function: { name: "g" } };
  for (const model of ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1"]) {
    assert.deepEqual(choiceOf(model, "required"), [
      { type: "auto" },
      "This answer has to call at least one of the tools.",
      ["f", "g"],
    ]);
    assert.deepEqual(choiceOf(model, named), [
      { type: "auto" },
      "This answer has to call the tool `g`.",
      ["g"],
    ]);
    assert.deepEqual(choiceOf(model, "none"), [{ type: "none" }, undefined, ["f", "g"]]);
  }
  for (const model of ["claude-opus-5", "claude-haiku-4-5", "claude-sonnet-5"])
    assert.deepEqual(choiceOf(model, named), [{ type: "tool", name: "g" }, undefined, ["f", "g"]]);
});

describe("a model that thinks is not made to call a tool", () => {
  const tools = [{ type: "function", function: { name: "f" } }];
  const forced = { tools, tool_choice: "required" };
  const json = { response_format: { type: "json_object" } };
  for (const model of ["claude-haiku-4-5", "claude-opus-4-6", "claude-opus-5"])
    test(`${model}: what asks for thoughts is refused by its name, and none come by default`, () => {
      for (const request of [forced, json]) {
        assert.equal(refusedAt({ ...request, reasoning_effort: "low" }, model), "reasoning_effort");
        assert.equal(refusedAt({ ...request, thinking: { type: "adaptive" } }, model), "thinking");
        const off = model === "claude-opus-5" ? { type: "disabled" } : undefined;
        assert.deepEqual(bodyOf(request, model).thinking, off);
      }
      assert.equal(bodyOf({ tools, tool_choice: "auto" }, model).thinking, undefined);
    });

  test("claude-opus-5-5: the instruction is named, and the effort stays", () => {
    const adaptedTo = (choice: unknown) => {
      const request = { messages, tools, tool_choice: choice, reasoning_effort: "low" };
      const made = anthropicBody(requestOf(request, "claude-opus-5-5"), undefined, version);
      return made.kind === "body" && [made.adapted, made.body.output_config];
    };
    const effort = { effort: "low" };
    const named = { type: "function", function: { name: "f" } };
    for (const choice of ["required", named]) assert.deepEqual(adaptedTo(choice), [["tool_choice"], effort]);
    for (const choice of ["auto", "none"]) assert.deepEqual(adaptedTo(choice), [[], effort]);
  });
});

test("effort none at models that always think: the least that each takes", () => {
  const offOf = (model: string) => {
    const { thinking, output_config } = bodyOf({ reasoning_effort: "none" }, model);
    return [thinking, output_config];
  };
  assert.deepEqual(offOf("claude-opus-5"), [{ type: "disabled" }, undefined]);
  assert.deepEqual(offOf("claude-sonnet-5-5"), [{ type: "between_tools" }, undefined]);
  for (const model of ["claude-opus-5-5", "claude-fable-5-1", "claude-mythos-5-1"])
    assert.deepEqual(offOf(model), [undefined, { effort: "low" }]);
});

test("any JSON at models that cannot be made to call a tool: the instruction says it, also beside tools", () => {
  const json = { response_format: { type: "json_object" } };
  const system = { role: "system", content: "Be brief." };
  const {
    system: instruction,
    tools,
    tool_choice,
  } = bodyOf({ ...json, messages: [system, ...messages] }, "claude-opus-5-5");
  assert.match(String(instruction), /^Be brief\.\nThe answer has to be one JSON object/);
  assert.deepEqual([tools, tool_choice], [undefined, undefined]);
  const withTools = { ...json, tools: [{ type: "function", function: { name: "f" } }] };
  assert.equal(refusedAt(withTools, "claude-opus-5-5"), null);
  assert.equal(refusedAt(withTools), "response_format");
});

test("without a limit a stream may be as long as the model writes, and a whole answer is shorter", () => {
  const tokensOf = (stream: boolean, more: object = {}, own?: number) => {
    const made = anthropicBody(requestOf({ messages, ...more }, "claude-opus-5-5", stream), own, version);
    assert.equal(made.kind, "body");
    return made.body.max_tokens;
  };
  assert.deepEqual([tokensOf(true), tokensOf(false)], [128_000, 21_333]);
  assert.deepEqual([tokensOf(true, { max_tokens: 9 }), tokensOf(true, {}, 500)], [9, 500]);
});
