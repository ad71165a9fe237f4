// What a provider that speaks Anthropic's Messages API answers, for the peer of openai-peer.ts.

import { type Peer, type PeerAnswer, replies } from "./openai-peer.ts";

export const anthropicUsage = {
  input_tokens: 4,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 2,
  output_tokens: 5,
};

/** The text of one event. */
export const anthropicEvent = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

export const anthropicMessage = (
  model: unknown,
  content: readonly object[] = [{ type: "text", text: "Hello from Claude." }],
  stop = "end_turn",
) => ({
  id: "msg_upstream1",
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: anthropicUsage,
});

/** Signed thoughts, a text and a call, as Anthropic streams them. */
export function anthropicEvents(model: unknown): string[] {
  const delta = (index: number, fields: object) =>
    anthropicEvent({ type: "content_block_delta", index, delta: fields });
  const begin = (index: number, block: object) =>
    anthropicEvent({ type: "content_block_start", index, content_block: block });
  const end = (index: number) => anthropicEvent({ type: "content_block_stop", index });
  return [
    anthropicEvent({
      type: "message_start",
      message: {
        ...anthropicMessage(model, []),
        stop_reason: null,
        unknown_field: "12345678901234567890",
      },
    }),
    anthropicEvent({ type: "ping" }),
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "A file is wanted." }),
    delta(0, { type: "signature_delta", signature: "c2lnbmVk/+0=" }),
    end(0),
    anthropicEvent({ type: "a_new_event", more: true }),
    begin(1, { type: "text", text: "" }),
    delta(1, { type: "text_delta", text: "I will " }),
    delta(1, { type: "text_delta", text: "create it." }),
    end(1),
    begin(2, { type: "tool_use", id: "toolu_hello_1", name: "Bash", input: {} }),
    delta(2, { type: "input_json_delta", partial_json: '{"command":' }),
    delta(2, { type: "input_json_delta", partial_json: '"ls"}' }),
    end(2),
    anthropicEvent({
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 5 },
    }),
    anthropicEvent({ type: "message_stop" }),
  ];
}

/** Answers as Anthropic does: whole, streamed, or with a count. */
export const speaksAnthropic: PeerAnswer = (request) => {
  const { body, response, path } = request;
  if (path.includes("count_tokens")) return replies(200, { input_tokens: 42 })(request);
  if (body.stream !== true) return replies(200, anthropicMessage(body.model))(request);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const text of anthropicEvents(body.model)) response.write(text);
  response.end();
};

/** A member of Anthropic's kind that asks a peer. */
export function claudeOf(peer: Peer, more: Record<string, unknown> = {}) {
  return {
    name: "claude",
    kind: "anthropic",
    models: ["claude-opus-5-5"],
    settings: {
      base_url: peer.url.replace(/\/v1$/, ""),
      api_key: "sk-ant-api03-upstream-0123456789abcdef",
    },
    ...more,
  };
}
