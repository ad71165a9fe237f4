// What decides about a request to Bedrock beside the recorded ones: whose model it is.

import assert from "node:assert/strict";
import test from "node:test";
import { bedrockBody, makerOf } from "#providers/bedrock/request.ts";
import { requestOf } from "../conformance-cases.ts";

const messages = [{ role: "user", content: "Hello" }];
const asked = (model: string, more: object) => {
  const made = bedrockBody(requestOf({ messages, ...more }, model));
  return made.kind === "body" ? (made.body as Record<string, unknown>) : made.param;
};

test("the maker by the model's id, also in a profile's and in an ARN", () => {
  const names: [string, string][] = [
    ["anthropic.claude-opus-4-1-20250805-v1:0", "claude"],
    ["global.anthropic.claude-haiku-4-5-20251001-v1:0", "claude"],
    ["arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0", "claude"],
    ["openai.gpt-oss-20b-1:0", "openai"],
    ["eu.amazon.nova-lite-v1:0", "nova"],
    ["arn:aws:bedrock:us-east-1:1:application-inference-profile/claude", "other"],
    ["deepseek.r1-v1:0", "other"],
  ];
  for (const [name, maker] of names) assert.equal(makerOf(name), maker, name);
});

test("effort is written as the model's maker has it", () => {
  const effort = (model: string, reasoning_effort: string) => {
    const body = asked(model, { reasoning_effort });
    return typeof body === "string" ? body : body.additionalModelRequestFields;
  };
  assert.deepEqual(effort("anthropic.claude-opus-4-6-v1", "high"), {
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high" },
  });
  assert.equal(effort("amazon.nova-pro-v1:0", "none"), undefined);
  assert.deepEqual(effort("amazon.nova-2-lite-v1:0", "none"), { reasoningConfig: { type: "disabled" } });
  assert.equal(effort("amazon.nova-pro-v1:0", "low"), "reasoning_effort");
  assert.equal(effort("openai.gpt-oss-20b-1:0", "odd"), "reasoning_effort");
});

test("a schema goes as text, for Claude in the form that it takes", () => {
  const format = (schema: object) => ({ response_format: { type: "json_schema", json_schema: { schema } } });
  const schemaOf = (body: unknown) =>
    JSON.parse(
      (body as { outputConfig: { textFormat: { structure: { jsonSchema: { schema: string } } } } })
        .outputConfig.textFormat.structure.jsonSchema.schema,
    ) as object;
  const schema = { type: "object", properties: { a: { type: "integer", minimum: 1 } } };
  assert.deepEqual(schemaOf(asked("qwen.qwen3-32b-v1:0", format(schema))), schema);
  const claude = schemaOf(asked("anthropic.claude-sonnet-4-5-20250929-v1:0", format(schema)));
  assert.deepEqual((claude as Record<string, unknown>).additionalProperties, false);
  assert.equal(
    asked("anthropic.claude-sonnet-4-5-20250929-v1:0", format({ type: "object" })),
    "response_format",
  );
  assert.equal(asked("amazon.nova-pro-v1:0", format(schema)), "response_format");
});

test("tools that no one may call are left out; marks of the cache go to Claude and Nova alone", () => {
  const tool = { type: "function", function: { name: "f" }, cache_control: { type: "ephemeral" } };
  const claude = "anthropic.claude-sonnet-4-5-20250929-v1:0";
  assert.deepEqual(Object.keys(asked(claude, { tools: [tool], tool_choice: "none" }) as object), [
    "messages",
  ]);
  const spec = { toolSpec: { name: "f", inputSchema: { json: { type: "object" } } } };
  assert.deepEqual((asked(claude, { tools: [tool] }) as Record<string, unknown>).toolConfig, {
    tools: [spec, { cachePoint: { type: "default" } }],
  });
  assert.deepEqual((asked("qwen.qwen3-32b-v1:0", { tools: [tool] }) as Record<string, unknown>).toolConfig, {
    tools: [spec],
  });
  const thinking = { tools: [tool], tool_choice: "required", reasoning_effort: "low" };
  assert.equal(asked(claude, thinking), "reasoning_effort");
});

test("Claude is made to call a tool without thoughts, or by an instruction, which is named", () => {
  const tools = ["f", "g"].map((name) => ({ type: "function", function: { name } }));
  const named = { type: "function", function: { name: "g" } };
  const made = (version: string, choice: unknown) => {
    const model = `anthropic.claude-${version}`;
    const translated = bedrockBody(requestOf({ messages, tools, tool_choice: choice }, model));
    assert.ok(translated.kind === "body");
    const {
      system,
      toolConfig,
      additionalModelRequestFields: more,
    } = translated.body as Record<string, unknown>;
    const { tools: offered, toolChoice } = toolConfig as { tools: object[]; toolChoice?: object };
    return [system, offered.length, toolChoice, more, translated.adapted];
  };
  assert.deepEqual(made("opus-4-6", named), [undefined, 2, { tool: { name: "g" } }, undefined, []]);
  assert.deepEqual(made("opus-5", "required"), [
    undefined,
    2,
    { any: {} },
    { thinking: { type: "disabled" } },
    [],
  ]);
  assert.deepEqual(made("opus-5-5", named), [
    [{ text: "This answer has to call the tool `g`." }],
    1,
    undefined,
    undefined,
    ["tool_choice"],
  ]);
  assert.deepEqual(made("opus-5-5", "auto").at(-1), []);
});

test("a conversation with calls keeps tools where none may be called, with a note that says so", () => {
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const history = [
    ...messages,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "x" },
  ];
  const other = { type: "function", function: { name: "g", parameters: { type: "object" } } };
  for (const model of ["anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon.nova-pro-v1:0"])
    for (const [more, name, adapted] of [
      [{}, "f", ["tools"]],
      [{ tools: [] }, "f", ["tools"]],
      [{ tools: [other], tool_choice: "none" }, "g", ["tool_choice"]],
    ] as const) {
      const made = bedrockBody(requestOf({ messages: history, ...more }, model));
      assert.ok(made.kind === "body");
      const { toolConfig, system } = made.body as { toolConfig: unknown; system: { text: string }[] };
      assert.deepEqual(made.adapted, adapted);
      assert.equal(JSON.stringify(toolConfig).match(/"name":"(\w+)"/)?.[1], name);
      assert.doesNotMatch(JSON.stringify(toolConfig), /toolChoice/);
      assert.match(system.at(-1)?.text ?? "", /No tool can be called/);
    }
});
