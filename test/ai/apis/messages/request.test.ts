// Anthropic's requests as chat completions. What clients send in full is in test/http/routes/ai/messages.test.ts.

import assert from "node:assert/strict";
import test from "node:test";
import { chatOfMessages } from "#ai/apis/messages/request.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";

function chatOf(more: object) {
  const leftOut: string[] = [];
  const messages = [{ role: "user", content: "Hi" }];
  const made = chatOfMessages(
    JSON.stringify({ model: "m", max_tokens: 9, messages, ...more }),
    new ToolNames(),
    leftOut,
  );
  return { made, body: made.kind === "chat" ? made.body : {}, leftOut };
}

const tool = { name: "f", description: "Does.", input_schema: { type: "object", properties: {} } };

test("a result that is an error says so", () => {
  const { body } = chatOf({
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "No such file." }],
      },
    ],
  });
  assert.deepEqual((body.messages as object[]).at(-1), {
    role: "tool",
    tool_call_id: "t1",
    content: "The tool failed:\nNo such file.",
  });
});

test("sampling, stops, tools and their choice", () => {
  const { body } = chatOf({
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    stop_sequences: ["END"],
    stream: true,
    tools: [tool],
    tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
  });
  assert.deepEqual(body, {
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
    max_tokens: 9,
    stream: true,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    stop: ["END"],
    tools: [
      { type: "function", function: { name: "f", description: "Does.", parameters: tool.input_schema } },
    ],
    tool_choice: { type: "function", function: { name: "f" } },
    parallel_tool_calls: false,
  });
  for (const [type, choice] of [
    ["any", "required"],
    ["auto", "auto"],
    ["none", "none"],
  ])
    assert.equal(chatOf({ tools: [tool], tool_choice: { type } }).body.tool_choice, choice);
});

test("no tools means no choice among them, and a server's tool is left out", () => {
  const { body, leftOut } = chatOf({
    tools: [{ type: "web_search_20250305", name: "web_search" }],
    tool_choice: { type: "tool", name: "web_search" },
  });
  assert.deepEqual([body.tools, body.tool_choice, leftOut], [undefined, undefined, ["web_search_20250305"]]);
});

test("a schema and an effort; none where thinking is off", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const { body } = chatOf({ output_config: { effort: "high", format: { type: "json_schema", schema } } });
  assert.equal(body.reasoning_effort, "high");
  assert.deepEqual(body.response_format, {
    type: "json_schema",
    json_schema: { name: "answer", schema, strict: false },
  });
  const closed = { ...schema, required: ["a"], additionalProperties: false };
  assert.deepEqual(
    chatOf({ output_config: { format: { type: "json_schema", schema: closed } } }).body.response_format,
    { type: "json_schema", json_schema: { name: "answer", schema: closed, strict: true } },
  );
  assert.equal(
    chatOf({ output_config: { effort: "high" }, thinking: { type: "disabled" } }).body.reasoning_effort,
    undefined,
  );
});

test("documents: as files, as text, with their parts", () => {
  const document = (source: object) => ({ type: "document", title: "a.pdf", source });
  const { body } = chatOf({
    messages: [
      {
        role: "user",
        content: [
          document({ type: "base64", media_type: "application/pdf", data: "JVBERi0=" }),
          document({ type: "text", media_type: "text/plain", data: "plain" }),
          document({ type: "content", content: [{ type: "text", text: "part" }] }),
          {
            type: "search_result",
            title: "T",
            source: "https://x.test",
            content: [{ type: "text", text: "R" }],
          },
        ],
      },
    ],
  });
  assert.deepEqual(body.messages, [
    {
      role: "user",
      content: [
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
        { type: "text", text: "plain" },
        { type: "text", text: "part" },
        { type: "text", text: "T\nhttps://x.test\nR" },
      ],
    },
  ]);
});

test("what this member's API has no field for is an issue that says where", () => {
  const cases: [object, string, RegExp][] = [
    [
      { messages: [{ role: "user", content: [{ type: "hologram" }] }] },
      "messages",
      /messages\.0\.content\.0.*hologram/,
    ],
    [{ messages: [{ role: "assistant", content: [{ type: "hologram" }] }] }, "messages", /hologram/],
    [{ messages: [{ role: "critic", content: "x" }] }, "messages", /messages\.0 has a role/],
    [
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "file" } }] }] },
      "messages",
      /source `file`/,
    ],
    [{ tools: [{ type: "computer_20251124", name: "computer" }] }, "tools", /tools\.0.*computer_20251124/],
  ];
  for (const [more, param, message] of cases) {
    const { made } = chatOf(more);
    assert.ok(made.kind === "unsupported_parameter");
    assert.equal(made.param, param);
    assert.match(made.message, message);
  }
});

test("empty messages are left out, and calls keep numbers as they are spelled", () => {
  const leftOut: string[] = [];
  const text = `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"}]},{"role":"user","content":" "},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"id":12345678901234567890}}]}]}`;
  const made = chatOfMessages(text, new ToolNames(), leftOut);
  assert.ok(made.kind === "chat");
  const [only, ...more] = made.body.messages as { tool_calls: { function: { arguments: string } }[] }[];
  assert.equal(more.length, 0);
  assert.equal(only!.tool_calls[0]!.function.arguments, '{"id":12345678901234567890}');
});

test("a budget of thoughts becomes the effort that comes next to it, and is named", () => {
  for (const [budget, effort] of [
    [1_024, "low"],
    [10_000, "medium"],
    [31_999, "high"],
  ] as const) {
    const { body, leftOut } = chatOf({ thinking: { type: "enabled", budget_tokens: budget } });
    assert.deepEqual([body.reasoning_effort, leftOut], [effort, ["thinking"]]);
  }
  const both = chatOf({
    thinking: { type: "enabled", budget_tokens: 9_000 },
    output_config: { effort: "max" },
  });
  assert.deepEqual([both.body.reasoning_effort, both.leftOut], ["max", []]);
});

test("marks of what to cache stay for members that take them, and change nothing for others", () => {
  const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const marked = {
    system: [
      { type: "text", text: "A" },
      { type: "text", text: "B", ...mark },
    ],
    tools: [{ ...tool, ...mark }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Q", ...mark }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see.", ...mark },
          { type: "tool_use", id: "t1", name: "f", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok", ...mark }] },
    ],
  };
  const plain = JSON.parse(
    JSON.stringify(marked, (name, value) => (name === "cache_control" ? undefined : value)),
  );
  const { made } = chatOf(marked);
  assert.ok(made.kind === "chat" && made.marked !== undefined);
  assert.deepEqual(made.body, chatOf(plain).body);
  const { body } = made.marked();
  assert.equal(JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/g)?.length, 5);
  const without = JSON.stringify(body, (name, value) => (name === "cache_control" ? undefined : value));
  assert.match(without, /"content":\[\{"type":"text","text":"ok"\}\]/);
  const { made: unmarked } = chatOf(plain);
  assert.ok(unmarked.kind === "chat" && unmarked.marked === undefined);
});
