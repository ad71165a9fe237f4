// The client APIs as their clients use them between calls of tools: a first request, and the next one, which sends back what the
// answer was.

import type { ApiRequest } from "#ai/apis/api-request.ts";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { createContentRequest } from "#ai/apis/gemini/gemini.ts";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { fieldsIn } from "#providers/translate/json.ts";

type Fields = Record<string, unknown>;

const schema = { type: "object", properties: { city: { type: "string" } } };

/** A client API: its first request, and the next one, which sends back what the first answer was. */
export interface Door {
  api(body: Fields): ApiRequest;
  first: Fields;
  next(first: Fields, answer: string): Fields;
}

const eventsIn = (text: string): Fields[] =>
  text.split(/\r?\n/).flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []));

/** The blocks of a message, whole or as the events of a stream. */
export function blocksOf(text: string, stream: boolean): Fields[] {
  if (!stream) return JSON.parse(text).content;
  const blocks: Fields[] = [];
  for (const { type, index, content_block: block, delta } of eventsIn(text)) {
    if (type === "content_block_start") blocks[Number(index)] = { ...(block as Fields), json: "" };
    const open = blocks[Number(index)];
    if (type !== "content_block_delta" || open === undefined) continue;
    const { partial_json: piece, thinking, signature, text: words } = delta as Fields;
    if (piece !== undefined) open.json = `${open.json}${piece}`;
    if (thinking !== undefined) open.thinking = `${open.thinking}${thinking}`;
    if (signature !== undefined) open.signature = signature;
    if (words !== undefined) open.text = `${open.text}${words}`;
  }
  return blocks.map(({ json: input, ...block }) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(String(input)) } : block,
  );
}

const messagesDoor = (more: Fields): Door => ({
  api: (body) => createMessagesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem"),
  first: {
    max_tokens: 20_000,
    tools: [{ name: "weather", input_schema: schema }],
    messages: [{ role: "user", content: "hi" }],
    ...more,
  },
  next: (first, answer) => {
    const content = blocksOf(answer, first.stream === true);
    const uses = content.filter(({ type }) => type === "tool_use");
    const results = uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "sunny" }));
    const turns = [
      { role: "assistant", content },
      { role: "user", content: results },
    ];
    return { ...first, messages: [...fieldsIn(first.messages), ...turns] };
  },
});

const responsesDoor = (more: Fields): Door => ({
  api: (body) => createResponsesRequest({ text: JSON.stringify(body), body, headers: {} }, "stem", 1),
  first: {
    tools: [{ type: "function", name: "weather", parameters: schema }],
    input: [{ role: "user", content: "hi" }],
    ...more,
  },
  next: (first, answer) => {
    const last = first.stream === true ? (eventsIn(answer).at(-1)?.response as Fields) : JSON.parse(answer);
    const items = fieldsIn(last.output);
    const results = items.flatMap(({ type, call_id }) =>
      type === "function_call" ? [{ type: "function_call_output", call_id, output: "sunny" }] : [],
    );
    return { ...first, input: [...fieldsIn(first.input), ...items, ...results] };
  },
});

const contentsDoor = (more: Fields): Door => ({
  api: ({ stream, ...body }) =>
    createContentRequest({ text: JSON.stringify(body), body, stream: stream === true }, "stem", true),
  first: {
    tools: [{ functionDeclarations: [{ name: "weather", parameters: schema }] }],
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    ...more,
  },
  next: (first, answer) => {
    const pieces = first.stream === true ? eventsIn(answer) : [JSON.parse(answer)];
    const parts = pieces.flatMap(({ candidates }) =>
      fieldsIn(candidates).flatMap(({ content }) => fieldsIn((content as Fields).parts)),
    );
    const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall as Fields] : []));
    const results = calls.map(({ id, name }) => ({
      functionResponse: { id, name, response: { output: "sunny" } },
    }));
    const turns = [
      { role: "model", parts },
      { role: "user", parts: results },
    ];
    return { ...first, contents: [...fieldsIn(first.contents), ...turns] };
  },
});

export const chatDoor = (more: Fields): Door => ({
  api: (body) => new ChatCompletionsRequest({ text: JSON.stringify(body), body, includeUsage: false }),
  first: {
    tools: [{ type: "function", function: { name: "weather", parameters: schema } }],
    messages: [{ role: "user", content: "hi" }],
    ...more,
  },
  next: (first, answer) => {
    const { message } = JSON.parse(answer).choices[0];
    const results = fieldsIn(message.tool_calls).map(({ id }) => ({
      role: "tool",
      tool_call_id: id,
      content: "sunny",
    }));
    return { ...first, messages: [...fieldsIn(first.messages), message, ...results] };
  },
});

export const doors: Record<string, Door> = {
  "messages, with thinking": messagesDoor({ thinking: { type: "adaptive" } }),
  "messages, with thinking that is omitted": messagesDoor({
    thinking: { type: "adaptive", display: "omitted" },
  }),
  "messages, without thinking": messagesDoor({}),
  "responses, sealed": responsesDoor({ include: ["reasoning.encrypted_content"] }),
  responses: responsesDoor({}),
  "Gemini's API, with thoughts": contentsDoor({
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  }),
  "Gemini's API": contentsDoor({}),
};
