// A member that speaks OpenAI's Responses API.

import type { Offered, Step } from "../turn.ts";
import {
  checkCalls,
  type Format,
  isSealedBy,
  type Json,
  listOf,
  newId,
  parametersOf,
  Refusal,
  type ServerEvent,
  seal,
  textOf,
} from "./format.ts";

const usage = {
  input_tokens: 900,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 940,
};

/** Tools stand in `tools`, in groups of them, and in items of the newest agents. */
function offered(tools: readonly Json[], namespace?: string): Offered[] {
  return tools.flatMap((tool): Offered[] => {
    if (tool.type === "namespace") return offered(listOf(tool.tools), String(tool.name));
    if (tool.type !== "function" && tool.type !== "custom") return [];
    return [
      {
        name: String(tool.name),
        ...(namespace === undefined ? {} : { namespace }),
        kind: tool.type,
        parameters: parametersOf(tool.parameters),
      },
    ];
  });
}

const outputOf = ({ thought, text, call }: Step, member: string): Json[] => {
  const status = "completed";
  const items: Json[] = [];
  if (thought !== null) {
    const summary = [{ type: "summary_text", text: thought }];
    items.push({ type: "reasoning", id: newId("rs"), summary, encrypted_content: seal(member, thought) });
  }
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  items.push({ type: "message", id: newId("msg"), role: "assistant", status, content });
  if (call === null) return items;
  const { name, namespace, kind } = call.tool;
  // The namespace `functions` is the one of tools without any.
  const named = { name, ...(namespace === undefined || namespace === "functions" ? {} : { namespace }) };
  const ids = { id: newId("fc"), call_id: newId("call"), status };
  items.push(
    kind === "custom"
      ? { type: "custom_tool_call", ...ids, ...named, input: call.input }
      : { type: "function_call", ...ids, ...named, arguments: call.input },
  );
  return items;
};

const responseOf = (model: string, id: string, fields: Json): Json => ({
  id,
  object: "response",
  created_at: 1,
  model,
  status: "completed",
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
  ...fields,
});

export const responses: Format = {
  path: "/responses",
  read(body, member) {
    const items = listOf(body.input);
    const calls: string[] = [];
    const ids: string[] = [];
    const results: string[] = [];
    let tools = offered(listOf(body.tools));
    for (const item of items) {
      const type = item.type ?? "message";
      if (type === "additional_tools") tools = [...tools, ...offered(listOf(item.tools))];
      if (type === "function_call" || type === "custom_tool_call") calls.push(String(item.call_id));
      if (type === "function_call_output" || type === "custom_tool_call_output") {
        ids.push(String(item.call_id));
        results.push(textOf(item.output));
      }
      if (type === "reasoning" && !isSealedBy(member, item.encrypted_content)) {
        throw new Refusal("The encrypted content could not be verified.", {
          code: "invalid_encrypted_content",
        });
      }
    }
    checkCalls(calls, ids, "No tool output found for function call, or no call for an output.");
    const { format } = (body.text ?? {}) as { format?: { schema?: Json } };
    const schema = format?.schema ?? null;
    return { model: String(body.model), tools, results, stream: body.stream === true, schema };
  },
  stream({ step, turn, member }) {
    const id = newId("resp");
    const events: ServerEvent[] = [];
    const add = (type: string, fields: Json) =>
      events.push({
        name: type,
        data: JSON.stringify({ type, sequence_number: events.length, ...fields }),
      });
    add("response.created", { response: responseOf(turn.model, id, { status: "in_progress" }) });
    const output = outputOf(step, member);
    for (const [index, item] of output.entries()) {
      const place = { output_index: index, item_id: item.id };
      const empty = { status: "in_progress", ...(item.type === "message" ? { content: [] } : {}) };
      add("response.output_item.added", { output_index: index, item: { ...item, ...empty } });
      if (item.type === "message") {
        const at = { ...place, content_index: 0 };
        const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
        add("response.content_part.added", { ...at, part });
        add("response.output_text.delta", { ...at, delta: step.text, logprobs: [] });
        add("response.output_text.done", { ...at, text: step.text, logprobs: [] });
        add("response.content_part.done", { ...at, part: { ...part, text: step.text } });
      }
      if (item.type === "function_call") {
        add("response.function_call_arguments.delta", { ...place, delta: item.arguments });
        add("response.function_call_arguments.done", { ...place, arguments: item.arguments });
      }
      if (item.type === "custom_tool_call") {
        add("response.custom_tool_call_input.delta", { ...place, delta: item.input });
        add("response.custom_tool_call_input.done", { ...place, input: item.input });
      }
      add("response.output_item.done", { output_index: index, item });
    }
    add("response.completed", { response: responseOf(turn.model, id, { output, usage }) });
    return events;
  },
  whole: ({ step, turn, member }) =>
    responseOf(turn.model, newId("resp"), { output: outputOf(step, member), usage }),
  refusal: ({ message, code, param }) => ({ error: { message, type: "invalid_request_error", param, code } }),
};
