// A member that has chat completions alone, and refuses what it does not know.

import type { Offered, Step } from "../turn.ts";
import {
  checkCalls,
  type Format,
  type Json,
  listOf,
  newId,
  parametersOf,
  Refusal,
  textOf,
} from "./format.ts";

/** Parameters that such servers take; they refuse every other. */
const known = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stop",
  "response_format",
  "reasoning_effort",
  "user",
]);
const roles = new Set(["system", "user", "assistant", "tool"]);

const usage = { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 };

const messageOf = ({ text, call }: Step): Json => ({
  role: "assistant",
  content: text,
  ...(call === null
    ? {}
    : {
        tool_calls: [
          { id: newId("call"), type: "function", function: { name: call.tool.name, arguments: call.input } },
        ],
      }),
});

export const chat: Format = {
  path: "/chat/completions",
  read(body) {
    const unknown = Object.keys(body).find((name) => !known.has(name));
    if (unknown !== undefined) {
      throw new Refusal(`Unrecognized request argument supplied: ${unknown}`, { param: unknown });
    }
    const tools = listOf(body.tools).map((tool): Offered => {
      const { name, parameters } = tool.function as Json;
      if (tool.type !== "function") throw new Refusal(`Invalid tool type: ${String(tool.type)}`);
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) throw new Refusal(`Invalid function name: ${name}`);
      return { name: String(name), kind: "function", parameters: parametersOf(parameters) };
    });
    if (new Set(tools.map(({ name }) => name)).size !== tools.length) {
      throw new Refusal("Function names must be unique.");
    }
    if (Array.isArray(body.tools) && tools.length === 0) throw new Refusal("'tools' is too short.");
    if (body.tool_choice !== undefined && tools.length === 0) {
      throw new Refusal("'tool_choice' is only allowed when 'tools' are specified.");
    }
    const results: string[] = [];
    let open: string[] = [];
    for (const { role, content, tool_calls, tool_call_id } of listOf(body.messages)) {
      if (!roles.has(String(role))) throw new Refusal(`Invalid role: ${String(role)}`);
      if (role === "tool") {
        if (!open.includes(String(tool_call_id))) {
          throw new Refusal("A message with role 'tool' must follow the message with its 'tool_calls'.");
        }
        open = open.filter((id) => id !== tool_call_id);
        results.push(textOf(content));
        continue;
      }
      if (open.length > 0) throw new Refusal(`No result of the tool calls ${open.join(", ")}.`);
      const calls = listOf(tool_calls);
      for (const call of calls) {
        const { name } = call.function as Json;
        // A model that sees its own call under another name copies that name.
        if (tools.length > 0 && !tools.some((tool) => tool.name === name)) {
          throw new Refusal(`The call of '${String(name)}' is of no tool that is offered.`);
        }
      }
      open = calls.map(({ id }) => String(id));
      checkCalls(open, [...new Set(open)], "Ids of tool calls must be unique.");
    }
    const format = body.response_format as { json_schema?: { schema?: Json } } | undefined;
    const schema = format?.json_schema?.schema ?? null;
    return { model: String(body.model), tools, results, stream: body.stream === true, schema };
  },
  stream({ step, turn }) {
    const id = newId("chatcmpl");
    const chunk = (choice: Json | null, more: Json = {}) => ({
      name: null,
      data: JSON.stringify({
        id,
        object: "chat.completion.chunk",
        created: 1,
        model: turn.model,
        choices: choice === null ? [] : [{ index: 0, finish_reason: null, ...choice }],
        ...more,
      }),
    });
    const calls = listOf(messageOf(step).tool_calls).map((call) => {
      const { name, arguments: input } = call.function as { name: string; arguments: string };
      const half = Math.floor(input.length / 2);
      const piece = (fields: Json) => chunk({ delta: { tool_calls: [{ index: 0, ...fields }] } });
      return [
        piece({ id: call.id, type: "function", function: { name, arguments: input.slice(0, half) } }),
        piece({ function: { arguments: input.slice(half) } }),
      ];
    });
    return [
      chunk({ delta: { role: "assistant", content: "" } }),
      chunk({ delta: { content: step.text } }),
      ...calls.flat(),
      chunk({ delta: {}, finish_reason: step.call === null ? "stop" : "tool_calls" }),
      chunk(null, { usage }),
      { name: null, data: "[DONE]" },
    ];
  },
  whole({ step, turn }) {
    return {
      id: newId("chatcmpl"),
      object: "chat.completion",
      created: 1,
      model: turn.model,
      choices: [
        { index: 0, message: messageOf(step), finish_reason: step.call === null ? "stop" : "tool_calls" },
      ],
      usage,
    };
  },
  refusal: ({ message, code, param }) => ({ error: { message, type: "invalid_request_error", param, code } }),
};
