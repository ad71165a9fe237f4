// What a provider that speaks OpenAI's Responses API answers, for the peer of openai-peer.ts.

import { type Peer, type PeerAnswer, replies } from "./openai-peer.ts";

export const responsesUsage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 14,
};

const reasoning = {
  type: "reasoning",
  id: "rs_upstream",
  summary: [{ type: "summary_text", text: "A file is wanted." }],
  encrypted_content: "gAAAAABsealed+/=",
};
const message = {
  type: "message",
  id: "msg_upstream",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "I will create it.", annotations: [], logprobs: [] }],
};

export const upstreamResponse = (model: unknown, more: object = {}) => ({
  id: "resp_upstream",
  object: "response",
  created_at: 1_767_225_600,
  status: "completed",
  model,
  output: [reasoning, message],
  usage: responsesUsage,
  unknown_field: { kept: true },
  ...more,
});

/** Sealed thoughts and a text, as OpenAI streams them. */
export function responsesEvents(model: unknown): string[] {
  const open = upstreamResponse(model, { status: "in_progress", output: [], usage: null });
  const events: ({ type: string } & Record<string, unknown>)[] = [
    { type: "response.created", response: open },
    { type: "response.in_progress", response: open },
    { type: "response.output_item.added", output_index: 0, item: { ...reasoning, summary: [] } },
    { type: "response.output_item.done", output_index: 0, item: reasoning },
    { type: "response.a_new_event", more: true },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { ...message, status: "in_progress", content: [] },
    },
    {
      type: "response.content_part.added",
      item_id: message.id,
      output_index: 1,
      content_index: 0,
      part: { type: "output_text", text: "", annotations: [] },
    },
    ...["I will ", "create it."].map((delta) => ({
      type: "response.output_text.delta",
      item_id: message.id,
      output_index: 1,
      content_index: 0,
      delta,
      logprobs: [],
    })),
    {
      type: "response.output_text.done",
      item_id: message.id,
      output_index: 1,
      content_index: 0,
      text: "I will create it.",
      logprobs: [],
    },
    { type: "response.output_item.done", output_index: 1, item: message },
    { type: "response.completed", response: upstreamResponse(model) },
  ];
  return events.map(
    (event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
  );
}

/** Answers as OpenAI does, whole or streamed. */
export const speaksResponses: PeerAnswer = (request) => {
  const { body, response } = request;
  if (body.stream !== true) return replies(200, upstreamResponse(body.model))(request);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const text of responsesEvents(body.model)) response.write(text);
  response.end();
};

/** A member with the Responses API that asks a peer. */
export function responsesMemberOf(peer: Peer, more: Record<string, unknown> = {}) {
  return {
    name: "responsive",
    kind: "openai-compatible",
    models: ["gpt-served"],
    settings: { base_url: peer.url, api_key: "sk-upstream-0123456789abcdef", responses: true },
    ...more,
  };
}
